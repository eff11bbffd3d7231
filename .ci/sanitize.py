"""`make sanitize`: tests and random problems with a core that watches itself, on Linux with GCC.

The core is built with sanitizers of addresses and of undefined behaviour, and every index of a view is
checked. An environment in build/sanitize sees it, the Python files of src and the packages of the environment
that runs this. There the tests of the core and 300 random problems run on each target of the processor. A
report of a sanitizer ends its process, and is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from core import COMPILER, ROOT, build, environment, output

BUILD = ROOT / "build" / "sanitize"
REPORT = BUILD / "report"
TARGETS = "from kernelwise import _native; print(*_native.targets)"


def ending(job: tuple[str, list[object], dict[str, str]]) -> int:
    """The return code of a command; what it said is printed when it is done."""
    name, command, variables = job
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    print(f"{name}:\n{done.stdout}", flush=True)
    return done.returncode


def main() -> None:
    # Not stripped: reports have lines of the source.
    build(BUILD, CMAKE_BUILD_TYPE="RelWithDebInfo", KERNELWISE_SANITIZE="ON")
    python = environment(BUILD)
    # Python is not built with the sanitizers, so that they have to be loaded first.
    libraries = [output(COMPILER, f"-print-file-name={name}.so") for name in ("libasan", "libstdc++")]
    watched = {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        # To files, because pytest would swallow them. Leaks are not looked for: Python keeps memory.
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={REPORT}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={REPORT}",
    }
    # The tests of the core run themselves on every target.
    jobs = [("tests", [python, "-m", "pytest", "-q", "-x", "-s", "tests/native"], watched)]
    for target in output(python, "-c", TARGETS, env=watched).split():
        command = [python, "-m", "benchmarks.adversary", "solver", "--count", 300]
        jobs.append((f"random problems, {target}", command, {**watched, "KERNELWISE_TARGET": target}))
    for path in REPORT.parent.glob(f"{REPORT.name}.*"):
        path.unlink()
    with ThreadPoolExecutor(2) as pool:
        endings = list(pool.map(ending, jobs))
    reports = [path.read_text() for path in REPORT.parent.glob(f"{REPORT.name}.*")]
    print(*reports, sep="\n")
    if any(endings) or reports:
        sys.exit(f"{len(reports)} reports of sanitizers, {sum(map(bool, endings))} commands that failed.")
    print("No report of a sanitizer.")


if __name__ == "__main__":
    main()
