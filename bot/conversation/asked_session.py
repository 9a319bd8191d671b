"""What session somebody asks for who picks one up. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.access import Authorize
from bot.conversation.incoming import CommandCall
from bot.conversation.names import model_name, session_name
from bot.conversation.session_rights import RefusalOf, mode_refusal
from bot.speaker.speaker import Knobs, PermissionMode

NO_NAME = "A name needs at least one letter or digit."
NO_MODEL = "No model is called that: its name is made of letters, digits and `. _ : / @ [ ] -`."


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSession:
    """What session is wanted."""

    name: str | None = None
    knobs: Knobs = field(default_factory=Knobs)

    @property
    def is_anything(self) -> bool:
        """Whether anything at all is said of it."""
        return self.name is not None or self.knobs != Knobs()


def asked_for(call: CommandCall, authorize: Authorize, refusal_of: RefusalOf) -> AskedSession | str:
    """Return what session is wanted, or why there can be none like that."""
    options = call.options
    name = None
    if (wanted := options.get("name")) and (name := session_name(str(wanted))) is None:
        return NO_NAME
    knobs = _knobs(options)
    if isinstance(knobs, str):
        return knobs
    if knobs.permission_mode is not None:
        mode = knobs.permission_mode
        refusal = mode_refusal(mode, call.person, call.place, authorize, refusal_of)
        if refusal is not None:
            return refusal
    return AskedSession(name=name, knobs=knobs)


def _knobs(options: Mapping[str, object]) -> Knobs | str:
    """Return the knobs that a command asks for, or why there are none like that."""
    model, effort, mode = (options.get(name) for name in ("model", "effort", "permission-mode"))
    checked = None if not model else model_name(str(model))
    if model and checked is None:
        return NO_MODEL
    return Knobs(
        model=checked,
        effort=str(effort) if effort else None,
        permission_mode=PermissionMode(str(mode)) if mode else None,
    )
