"""Change one operator, constant or word of the source at a time, and see whether tests notice.

    python .ci/mutants.py src/kernelwise/search tests/search --count 40
    python .ci/mutants.py src/native tests/native --count 30

The changes are drawn at random from all that are possible, and tried in a copy in build/mutants; that of a
C++ file is built first. A change that no test notices is printed: it needs a test, or it changes no answer.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import resource
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

from core import ROOT, build, environment, output

BUILD = ROOT / "build" / "mutants"
#: Each side becomes the other. Formatters put spaces around operators, and none around what looks like one.
PAIRS = (
    *((" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" + ", " - "), (" * ", " / "), (" += ", " -= ")),
    *((" and ", " or "), (" && ", " || "), (" is None", " is not None"), (" in ", " not in ")),
    *(("True", "False"), ("true", "false"), ("min(", "max("), (".any(", ".all(")),
)
SWAPS = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
NUMBER = r"(?<![\w.\[])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])"
CHANGED = re.compile("|".join([*map(re.escape, sorted(SWAPS, key=len, reverse=True)), NUMBER]))
#: What is no code, in C++.
APART = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#[^\n]*', re.DOTALL | re.MULTILINE)
CPU_SECONDS = 300  # a change may make a loop endless


def code_of(path: Path) -> str:
    """The text of a file, with spaces in the place of comments and strings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return APART.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = [list(line) for line in text.splitlines(keepends=True)]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            for row in range(token.start[0] - 1, token.end[0]):
                first = token.start[1] if row == token.start[0] - 1 else 0
                last = token.end[1] if row == token.end[0] - 1 else len(lines[row])
                lines[row][first:last] = [" " if c != "\n" else c for c in lines[row][first:last]]
    return "".join("".join(line) for line in lines)


def other(found: str) -> str:
    """What takes the place of a piece of code."""
    if found in SWAPS:
        return SWAPS[found]
    return str(int(found) + 1) if found.isdigit() else f"(2 * {found})"


def changes(folder: Path) -> list[tuple[Path, int, int, str]]:
    """All possible changes: file, first and last place, and what is then there."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".hpp", ".cpp"))
    return [
        (path, *found.span(), other(found[0])) for path in files for found in CHANGED.finditer(code_of(path))
    ]


def tested(python: Path, tests: list[str]) -> subprocess.CompletedProcess:
    """The end of the tests, up to the first that fails."""
    limit = (CPU_SECONDS, CPU_SECONDS)
    return subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        text=True,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", help="the folder that is changed")
    parser.add_argument("tests", nargs="+", help="tests that should notice")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    shutil.rmtree(BUILD, ignore_errors=True)
    is_native = Path(options.source).name == "native"
    package, copy = BUILD / "lib" / "kernelwise", BUILD / "source"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", copy)
    package.parent.mkdir()
    if is_native:
        # Compiled without optimisation, in a fraction of the time.
        build(BUILD, copy, CMAKE_BUILD_TYPE="Debug", KERNELWISE_COVERAGE="ON")
    else:
        package.symlink_to(copy / "src" / "kernelwise")
        core = output(sys.executable, "-c", "import kernelwise._native as core; print(core.__file__)")
        shutil.copy(core, package)
    python = environment(BUILD)
    first = tested(python, options.tests)
    if first.returncode:
        sys.exit(f"The tests fail without a change:\n{first.stdout[-2000:]}")
    possible = changes(copy / options.source)
    random.Random(options.seed).shuffle(possible)
    n_tried = n_noticed = 0
    for path, start, end, word in possible:
        if n_tried == options.count:
            break
        text = path.read_text(encoding="utf-8")
        changed = text[:start] + word + text[end:]
        path.write_text(changed, encoding="utf-8")
        try:
            if is_native:
                build(BUILD, copy)
            else:
                compile(changed, path, "exec")
        except (subprocess.CalledProcessError, SyntaxError):
            continue  # no program, and so no change of one
        else:
            n_tried += 1
            # Those that are named after the file come first: they are the likeliest to notice.
            named = sorted(map(str, (ROOT / "tests").rglob(f"test_{path.stem}*.py")))
            if tested(python, [*named, *options.tests]).returncode:
                n_noticed += 1
            else:
                place = f"{path.relative_to(copy)}:{text.count(chr(10), 0, start) + 1}"
                line = text[text.rfind("\n", 0, start) + 1 : text.find("\n", end)].strip()
                print(
                    f"not noticed: {place}: {text[start:end].strip()} → {word.strip()} in: {line}", flush=True
                )
        finally:
            path.write_text(text, encoding="utf-8")
    print(f"{n_noticed} of {n_tried} changes were noticed, of {len(possible)} possible ones.")


if __name__ == "__main__":
    main()
