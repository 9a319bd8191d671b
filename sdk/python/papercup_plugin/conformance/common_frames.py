"""The frames of both dialects, and what several messages share. Pure."""

from papercup_plugin.conformance.kinds import (
    Anything,
    Either,
    Flag,
    Kind,
    Later,
    ListOf,
    MapOf,
    Null,
    Number,
    Object,
    Tagged,
    Text,
)

TEXT = Text()
TEXTS = ListOf(TEXT)
FLAG = Flag()
ANYTHING = Anything()
MEMBERS = MapOf()
WHOLE = Number(is_whole=True)
COUNT = Number(is_whole=True, least=0)
SHARE = Number(least=0, most=1)
EMPTY = Object()

ID = Either(TEXT, (WHOLE,))
_VERSION = Text(choices=("2.0",))
ERROR = Object(required={"code": WHOLE, "message": TEXT}, optional={"data": ANYTHING})

REQUEST = Object(
    required={"jsonrpc": _VERSION, "id": ID, "method": TEXT}, optional={"params": MEMBERS}
)
NOTIFICATION = Object(required={"jsonrpc": _VERSION, "method": TEXT}, optional={"params": MEMBERS})
SUCCESS = Object(required={"jsonrpc": _VERSION, "id": ID, "result": ANYTHING})
FAILURE = Object(
    required={"jsonrpc": _VERSION, "id": Either(TEXT, (WHOLE, Null())), "error": ERROR}
)

CONTEXT = Object(required={"token": TEXT, "tier": Text(choices=("event", "command"))})


def render_block() -> Kind:
    """Return what can be drawn."""
    return RENDER_BLOCK


_BLOCK = Later(render_block)
_FALLBACK = {"text": TEXT}
_ROW = Object(required={"key": TEXT, "value": TEXT})
_KEY = Object(required={"key": TEXT}, optional={"description": TEXT})

RENDER_BLOCK = Tagged(
    "kind",
    {
        "markdown": Object(required={"text": TEXT}),
        "keyvalue": Object(required={"rows": ListOf(_ROW)}, optional={"title": TEXT, **_FALLBACK}),
        "table": Object(required={"columns": TEXTS, "rows": ListOf(TEXTS)}, optional=_FALLBACK),
        "diff": Object(required={"patch": TEXT}, optional=_FALLBACK),
        "progress": Object(required={"value": SHARE}, optional={"label": TEXT, **_FALLBACK}),
        "stack": Object(required={"children": ListOf(_BLOCK)}, optional=_FALLBACK),
        "widget": Object(
            required={"widget_id": TEXT, "body": _BLOCK, "keybindings": ListOf(_KEY)},
            optional=_FALLBACK,
        ),
    },
)
