"""A core that is built apart, and an environment that sees it: what scripts of this folder share."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILER = "g++"


def run(*command: object, **options: object) -> subprocess.CompletedProcess:
    """Run a command as it would be typed; one that fails ends this program."""
    print("$", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, cwd=ROOT, text=True, **options)


def output(*command: object, **options: object) -> str:
    """What a command prints, without the end of the line."""
    return run(*command, stdout=subprocess.PIPE, **options).stdout.strip()


def build(folder: Path, source: Path = ROOT, **settings: object) -> None:
    """Compile into a folder what has changed since the last time, with settings of CMake."""
    cmake = shutil.which("cmake", path=sysconfig.get_path("scripts"))
    settings |= {
        "CMAKE_CXX_COMPILER": COMPILER,
        "CMAKE_INSTALL_PREFIX": folder / "lib",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": output(sys.executable, "-m", "nanobind", "--cmake_dir"),
    }
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    run(cmake, "-S", source, "-B", folder / "cmake", "-G", "Ninja", "--log-level=WARNING", *definitions)
    run(cmake, "--build", folder / "cmake")
    run(cmake, "--install", folder / "cmake")


def environment(folder: Path) -> Path:
    """The Python of an environment with the core of a folder; installed packages come from ours."""
    package = folder / "lib" / "kernelwise"
    for path in (ROOT / "src" / "kernelwise").iterdir():
        link = package / path.name
        if path.suffix != ".so" and not link.exists():
            link.symlink_to(path)
    venv.create(folder / "venv", symlinks=True)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    # Not as PYTHONPATH: the editable installation would come first.
    paths = [package.parent, sysconfig.get_path("purelib")]
    (site / "paths.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return folder / "venv" / "bin" / "python"
