"""What a plugin's manifest has to declare for it to be served. Pure."""

from collections.abc import Callable, Mapping

from extensions.plugins.manifest import Capabilities

CANONICAL: Mapping[str, str] = {
    "tools/register": "registry/update",
    "tools/setActive": "tools/set_active",
    "events/publish": "bus/publish",
}
"""The older names of some methods, and what they are called now."""

_Declares = Callable[[Capabilities], bool]

_NEEDS: Mapping[str, tuple[str, _Declares]] = {
    "tools/set_active": ("tools", lambda declared: declared.tools != frozenset()),
    "tool/update": ("tools", lambda declared: declared.tools != frozenset()),
    "provider/delta": ("providers", lambda declared: declared.providers != frozenset()),
    "ui/request": ("ui", lambda declared: declared.ui),
    "exec/run": ("exec", lambda declared: declared.exec),
    "kv/get": ("kv", lambda declared: declared.kv),
    "kv/set": ("kv", lambda declared: declared.kv),
    "kv/delete": ("kv", lambda declared: declared.kv),
    "kv/list": ("kv", lambda declared: declared.kv),
    "bus/publish": ("bus", lambda declared: declared.bus),
    "session/send_message": ("session", lambda declared: declared.session),
    "session/send_user_message": ("session", lambda declared: declared.session),
    "session/append_entry": ("session", lambda declared: declared.session),
    "session/set_model": ("session", lambda declared: declared.session),
    "session/state": ("session", lambda declared: declared.session),
}


def missing_capability(method: str, declared: Capabilities) -> str | None:
    """Return the capability that a manifest has to declare for a method, but does not.

    Args:
        method: By its present name.
        declared: What the manifest declares.
    """
    name, is_declared = _NEEDS.get(method, ("", lambda _: True))
    return None if is_declared(declared) else name
