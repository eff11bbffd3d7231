"""The build backend: scikit-build-core, with a C++ compiler from PyPI where the machine has none.

pip and other installers call the functions in ``__all__`` (PEP 517 and 660), because pyproject.toml names
this file. Where no compiler can build the core, ``ziglang`` is added to what a build requires: a wheel with
Clang, a linker and the standard library.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as skbuild
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, str | list[str]] | None

ZIG = "ziglang>=0.17"
#: Scripts that CMake calls as its tools, and what zig keeps for its next run. CMake remembers their names, so
#: they stay where they are.
FOLDER = Path("build", "zig")
#: The first line of what no older compiler understands (GCC before 11, Clang before 14).
PROBE = b"constinit long long bits = __builtin_bit_cast(long long, 1.0);\n#include <limits>\n"
ADVICE = (
    "kernelwise needs a C++20 compiler to be built, and the one from PyPI (ziglang) did not do here: install "
    "GCC 11 or Clang 14 or a newer one (`apt install g++`, `dnf install gcc-c++`, `xcode-select --install`), "
    "and try again."
)


def can_compile(command: str) -> bool:
    """Whether a command is a compiler of C++20 that finds its standard library."""
    try:
        options = ["-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
        return subprocess.run([command, *options], input=PROBE, capture_output=True).returncode == 0
    except OSError:
        return False


def needs_zig() -> bool:
    """Whether CMake would find no compiler.

    On Windows compilers are not on the PATH, and what ``CXX`` names is the user's choice: CMake judges them.
    """
    if sys.platform == "win32" or os.environ.get("CXX"):
        return False
    return not any(can_compile(command) for command in ("c++", "g++", "clang++"))


def with_zig(settings: Settings) -> Settings:
    """Settings of a build by zig, whose scripts are written to `FOLDER`."""
    folder = FOLDER.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = dict(settings or {})
    # Without -mcpu zig compiles for the processor of this machine, and only for that.
    tools = {"CXX_COMPILER": "c++ -mcpu=baseline", "AR": "ar", "RANLIB": "ranlib"}
    for tool, command in tools.items():
        script = folder / command.split()[0]
        run = f"exec {shlex.quote(sys.executable)} -m ziglang {command}"
        cache = f"ZIG_GLOBAL_CACHE_DIR={shlex.quote(str(folder / 'cache'))}"
        script.write_text(f'#!/bin/sh\n{cache} {run} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        found[f"cmake.define.CMAKE_{tool}"] = str(script)
    return found


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What scikit-build-core needs to build a wheel, and a compiler if there is none."""
    return skbuild.get_requires_for_build_wheel(config_settings) + [ZIG] * needs_zig()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """The same for an installation that uses the files of the repository."""
    return skbuild.get_requires_for_build_editable(config_settings) + [ZIG] * needs_zig()


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel, and return the name of its file."""
    return _built(skbuild.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that refers to the files of the repository, and return the name of its file."""
    return _built(skbuild.build_editable, wheel_directory, config_settings, metadata_directory)


def _built(build, wheel_directory: str, settings: Settings, metadata_directory: str | None) -> str:
    if not needs_zig():
        return build(wheel_directory, settings, metadata_directory)
    if importlib.util.find_spec("ziglang") is None:  # pip install --no-build-isolation
        raise SystemExit(ADVICE)
    try:
        return build(wheel_directory, with_zig(settings), metadata_directory)
    except SystemExit:  # scikit-build-core has printed what CMake said
        raise SystemExit(ADVICE) from None
