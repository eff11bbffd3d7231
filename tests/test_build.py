"""The build backend: a compiler from PyPI where there is none, and a sentence where that does not help."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SYSTEM = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="CMake looks for compilers there")


@pytest.fixture(scope="module")
def backend():
    """The module that pyproject.toml names."""
    (folder,) = SYSTEM["backend-path"]
    path = ROOT / folder / f"{SYSTEM['build-backend']}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """The only folder of the PATH, empty; the project is the current folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.chdir(ROOT)
    return folder


def write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_a_build_without_a_compiler_requires_one_from_pypi(backend, programs, kind):
    requires = getattr(backend, f"get_requires_for_build_{kind}")
    assert backend.ZIG in requires()
    assert any(one.startswith("cmake") for one in requires())
    assert backend.ZIG not in backend.get_requires_for_build_sdist()
    write_program(programs / "g++", "exit 0")
    assert backend.ZIG not in requires()


def test_a_compiler_that_is_too_old_is_none(backend, programs):
    write_program(programs / "c++", "exit 1")
    assert backend.needs_zig()
    (programs / "clang++").write_text("no program")
    assert backend.needs_zig()


def test_what_the_user_names_and_windows_are_left_to_cmake(backend, programs, monkeypatch):
    assert backend.needs_zig()
    monkeypatch.setenv("CXX", "my-compiler")
    assert not backend.needs_zig()
    monkeypatch.delenv("CXX")
    monkeypatch.setattr(sys, "platform", "win32")
    assert not backend.needs_zig()


def test_this_computer_has_a_compiler_or_needs_none(backend):
    is_found = any(backend.can_compile(name) for name in ("c++", "g++", "clang++"))
    assert backend.needs_zig() == (not is_found and not os.environ.get("CXX"))


def test_cmake_calls_zig_by_scripts_and_keeps_what_the_user_sets(backend, programs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__main__.py").write_text(
        "import os, sys\nprint(os.environ['ZIG_GLOBAL_CACHE_DIR'], *sys.argv[1:])\n"
    )
    settings = backend.with_zig({"cmake.define.KERNELWISE_WERROR": "ON"})
    assert settings.pop("cmake.define.KERNELWISE_WERROR") == "ON"
    said = {}
    for name, script in settings.items():
        command = [script, "-o", "a b"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        cache, *said[name.removeprefix("cmake.define.CMAKE_")] = done.stdout.split()
        assert Path(cache).parent == tmp_path / backend.FOLDER
    # For any processor of this kind, not only for that of this computer.
    assert said == {
        "CXX_COMPILER": ["c++", "-mcpu=baseline", "-o", "a", "b"],
        "AR": ["ar", "-o", "a", "b"],
        "RANLIB": ["ranlib", "-o", "a", "b"],
    }


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_zig_builds_where_there_is_no_compiler(backend, programs, tmp_path, monkeypatch, kind):
    def build(folder, settings, metadata):
        calls.append((folder, settings, metadata))
        return "a.whl"

    calls: list[tuple] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(backend.skbuild, f"build_{kind}", build)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert getattr(backend, f"build_{kind}")("dist", {"build-dir": "x"}, "meta") == "a.whl"
    write_program(programs / "c++", "exit 0")
    assert getattr(backend, f"build_{kind}")("dist") == "a.whl"
    (_, by_zig, metadata), by_compiler = calls
    assert metadata == "meta"
    assert by_zig["build-dir"] == "x"
    assert "cmake.define.CMAKE_CXX_COMPILER" in by_zig
    assert by_compiler == ("dist", None, None)


def test_one_sentence_says_what_to_install(backend, programs, tmp_path, monkeypatch):
    def fails(*arguments):
        raise SystemExit(1)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(backend.skbuild, "build_wheel", fails)
    for found in (None, "ziglang"):  # not installed, or no use
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, found=found: found)
        with pytest.raises(
            SystemExit, match=r"install GCC 11 or Clang 14 or a newer one \(`apt install g\+\+`"
        ):
            backend.build_wheel("dist")
    # What a compiler says is CMake's to tell.
    write_program(programs / "c++", "exit 0")
    with pytest.raises(SystemExit, match=r"^1$"):
        backend.build_wheel("dist")


@pytest.mark.slow
def test_the_source_distribution_has_what_a_build_needs(backend, tmp_path, monkeypatch):
    assert all(callable(getattr(backend, name)) for name in backend.__all__)
    monkeypatch.chdir(ROOT)
    name = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as file:
        found = {path.partition("/")[2] for path in file.getnames()}
    needed = {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "src/kernelwise/_native.pyi"}
    needed |= {f"src/native/{path.name}" for path in (ROOT / "src" / "native").iterdir()}
    needed |= {f"{folder}/{SYSTEM['build-backend']}.py" for folder in SYSTEM["backend-path"]}
    assert needed <= found
    assert not [path for path in found if path.endswith((".so", ".pyd", ".pyc"))]
