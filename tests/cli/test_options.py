"""Groups of options: a frozen dataclass for the command, single options for the user."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, dataclass
from typing import Annotated

import pytest
import typer

from kernelwise.cli.app import COMMANDS
from kernelwise.cli.options import Printing, Reading, flag, option, with_groups


@dataclass(frozen=True)
class Size:
    """A group of two options."""

    width: Annotated[int, option("INT", "Width in columns.")] = 3
    names: Annotated[list[str] | None, option("TEXT", "Names.", "--name")] = None


def test_a_command_gets_its_groups_as_objects():
    got = []

    @with_groups
    def command(*, loud: Annotated[bool, flag("--loud", "")] = False, size: Size, last: int = 7) -> None:
        got.append((loud, size, last))

    app = typer.Typer()
    app.command()(command)
    app([], standalone_mode=False)
    app(["--loud", "--width", "5", "--name", "a", "--name", "b", "--last", "8"], standalone_mode=False)
    assert got == [(False, Size(), 7), (True, Size(5, ["a", "b"]), 8)]
    with pytest.raises(FrozenInstanceError):
        got[0][1].width = 4


def test_options_of_a_group_stand_in_the_place_of_their_parameter():
    @with_groups
    def command(*, first: int = 1, size: Size, last: int = 7) -> None: ...

    assert list(inspect.signature(command).parameters) == ["first", "width", "names", "last"]


def test_two_groups_may_not_have_the_same_option():
    def command(*, size: Size, width: int = 1) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name: 'width'"):
        with_groups(command)


@pytest.mark.parametrize("group", [Reading, Printing])
def test_commands_that_share_a_group_have_all_its_options_in_one_order(group):
    options = list(inspect.signature(group).parameters)
    found = []
    for command in COMMANDS:
        names = list(inspect.signature(command).parameters)
        if set(options) <= set(names):
            first = names.index(options[0])
            assert names[first : first + len(options)] == options
            found.append(command.__name__)
    shared = ["tune", "detect", "diagnose", "compare", "curves"]
    assert found == (shared if group is Reading else [*shared[:2], "explain", *shared[2:]])
