"""The command line in this process, and small files for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from kernelwise.cli.app import main

#: Options that make a fit as short as it gets.
SHORT = ("--log2c", "0,2,2", "--cv", "2")


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, tmp_path, monkeypatch) -> Callable[..., Outcome]:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def refused(run):
    """Run a command that must end with exit code 2 and one sentence, or a list of faults; return it."""

    def refused_command(*arguments: object) -> str:
        code, out, err = run(*arguments)
        assert code == 2, err
        assert out == ""
        assert "Traceback" not in err
        *_, told = f"\n{err.rstrip()}".split("\nkernelwise: ")  # the faults of a file go over lines
        assert "\n" not in told or told.splitlines()[1].startswith(("- ", "To continue: "))
        return told

    return refused_command


@pytest.fixture(scope="session")
def rows():
    """40 rows of two numbers and a word, in two classes that the first number tells apart."""
    random = np.random.default_rng(0)
    lines = []
    for k in range(40):
        label = ("no", "yes")[k % 2]
        a, b = random.normal(size=2) + 3 * (k % 2)
        lines.append(f"{a:.6f},{b:.6f},{('red', 'green', 'blue')[k % 3]},{label}")
    return lines
