"""What is asked on a terminal before the bot starts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.cli.plugin_ground import LocalTrust, local_trust
from bot.cli.plugin_questions import Terminal, ask_about_plugins
from bot.config_reading import Surroundings, read_config
from bot.data_folder import held_data_folder
from extensions.plugins.trust import Cause
from tests.fakes.trusted_plugins import make_plugin


@dataclass
class Operator:
    """Answers what they are asked, in order."""

    answers: list[bool] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    meddling: Path | None = None
    """What they change while they are asked."""

    @property
    def terminal(self) -> Terminal:
        return Terminal(say=self.told.append, confirm=self._confirm)

    def _confirm(self, question: str) -> bool:
        self.asked.append(question)
        if self.meddling is not None:
            self.meddling.touch()
        return self.answers.pop(0)


@contextmanager
def held(folder: Path, names: Iterable[str]) -> Iterator[LocalTrust]:
    """A data folder that is held, as a bot holds it that is about to start."""
    for name in names:
        make_plugin(folder / ".papercup" / "plugins", name)
    environment = {"HOME": str(folder), "PATH": "/usr/bin", "PAPERCUP_DATA_DIR": f"{folder}/data"}
    where = Surroundings(working_folder=folder, environment=environment)
    with held_data_folder(folder / "data"):
        yield local_trust(read_config(None, where), where)


def causes(local: LocalTrust) -> dict[str, Cause | None]:
    standings = local.run_held(lambda desk: desk.standings())
    return {one.id: one.cause for one in standings}


def test_each_new_plugin_is_asked_about_once(tmp_path: Path) -> None:
    operator = Operator(answers=[True, False])
    with held(tmp_path, ["dice", "gate"]) as local:
        ask_about_plugins(local, operator.terminal)
        ask_about_plugins(local, operator.terminal)
        settled = causes(local)

    assert operator.asked == ["Trust dice with that?", "Trust gate with that?"]
    assert operator.told[0].startswith("Plugin dice 1.0.0, of this user: ")
    assert operator.told[1] == "dice is trusted."
    assert operator.told[3] == ("gate stays out. To trust it later: papercup plugin trust gate")
    assert settled == {"dice": None, "gate": Cause.REFUSED}


def test_a_plugin_that_has_changed_is_asked_about_again(tmp_path: Path) -> None:
    operator = Operator(answers=[True, True])
    with held(tmp_path, ["dice"]) as local:
        ask_about_plugins(local, operator.terminal)
        (tmp_path / ".papercup" / "plugins" / "dice" / "new.py").touch()
        ask_about_plugins(local, operator.terminal)

    assert operator.asked == ["Trust dice with that?"] * 2
    assert "its files have changed since it was looked at" in operator.told[2]


def test_a_plugin_that_changes_while_it_is_looked_at_is_not_trusted(tmp_path: Path) -> None:
    late = tmp_path / ".papercup" / "plugins" / "dice" / "late.py"
    operator = Operator(answers=[True], meddling=late)
    with held(tmp_path, ["dice"]) as local:
        ask_about_plugins(local, operator.terminal)
        settled = causes(local)

    assert "its files have changed since it was looked at" in operator.told[-1]
    assert settled == {"dice": Cause.UNKNOWN}


def test_what_cannot_be_trusted_is_not_asked_about(tmp_path: Path) -> None:
    operator = Operator()
    with held(tmp_path, ["dice"]) as local:
        (tmp_path / ".papercup" / "plugins" / "dice" / "sh").symlink_to("/bin/sh")
        ask_about_plugins(local, operator.terminal)

    assert (operator.asked, operator.told) == ([], [])
