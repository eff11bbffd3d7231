"""Imported once by the server that children are forked from: they find everything loaded."""

from __future__ import annotations

import sys

import numpy as np

from kernelwise import TunedSVC
from kernelwise.cli.app import main

TunedSVC().fit(np.arange(20.0)[:, None], np.arange(20) // 10)


def run_quietly(arguments: list[str], output: str) -> None:
    """Run a command with its standard output in a file."""
    with open(output, "w") as sys.stdout, open(f"{output}.err", "w") as sys.stderr:
        code = main(arguments)
    sys.exit(code)
