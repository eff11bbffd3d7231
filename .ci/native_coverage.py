"""`make native-coverage`: lines and branches of the C++ core that no test reaches, on Linux with GCC.

The core is built into build/coverage so that it counts how often each line runs. Its tests, those of the
solvers and those of the sketch run with it, and gcovr tells what they reached. A loop that is compiled for
several kinds of processors counts once.
"""

from __future__ import annotations

import sys

from core import ROOT, build, environment, run

BUILD = ROOT / "build" / "coverage"
TESTS = ("tests/native", "tests/solvers", "tests/sketch")
LOWEST = 97  # per cent of lines


def main() -> None:
    build(BUILD, CMAKE_BUILD_TYPE="Debug", KERNELWISE_COVERAGE="ON")
    for path in BUILD.rglob("*.gcda"):
        path.unlink()
    run(environment(BUILD), "-m", "pytest", "-q", "-m", "not slow", *TESTS)
    counted = ("--merge-lines", "--exclude-throw-branches", "--exclude-unreachable-branches")
    shown = ("--filter", "src/native/", "--txt", "-", "--txt-summary", "--fail-under-line", LOWEST)
    run(sys.executable, "-m", "gcovr", *counted, *shown, BUILD)


if __name__ == "__main__":
    main()
