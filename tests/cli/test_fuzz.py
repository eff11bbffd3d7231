"""Many broken files: no traceback, and nothing but exit codes 0 and 2."""

from __future__ import annotations

import gzip
import random

import pytest

from .conftest import SHORT

WORDS, CLASSES = (b"u", b"v", b"w"), (b"x", b"y")
WHOLE = {
    "f.csv": [b"a,b,c,class", *(b"%d.5,%d,%s,%s" % (k, -k, WORDS[k % 3], CLASSES[k % 2]) for k in range(12))],
    "f.tsv": [b"%d\t%de-3\t%d" % (k % 2, k, k * k) for k in range(12)],
    "f.svm": [b"%d 1:%d 2:0.%d 7:1" % (k % 2, k, k) for k in range(12)],
    "f.txt": ["größe;label".encode("cp1252"), *(b"%d,5;%d" % (k, k % 2) for k in range(12))],
}
#: What is put into them, words of this line and a few more.
PIECES = [
    *b", ; : | # ' ? - . nan inf 1e999 1:1 0:1 -1:1 1_0 999999999999999999999 [red] %s {} x PAR1".split(),
    *(b"", b"\n", b"\r", b"\t", b" ", b'"', b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b"),
    b"x" * 300,
    "\u2028é".encode(),
]


def broken(seed: int) -> tuple[str, bytes]:
    """A file with one to three changes: pieces put in, stretches taken out or repeated, a cut, a packing."""
    draw = random.Random(seed)
    name = draw.choice(sorted(WHOLE))
    contents = b"\n".join(WHOLE[name])
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(contents) + 1)
        end = min(len(contents), place + draw.choice([1, 3, 10, 60]))
        change = draw.choice(["put", "put", "put", "replace", "remove", "repeat", "cut", "line"])
        piece = draw.choice(PIECES)
        if change == "put":
            contents = contents[:place] + piece + contents[place:]
        elif change == "replace":
            contents = contents[:place] + piece + contents[end:]
        elif change == "remove":
            contents = contents[:place] + contents[end:]
        elif change == "repeat":
            contents = contents[:end] + contents[place:end] * 3 + contents[end:]
        elif change == "cut":
            contents = contents[:place]
        else:
            contents = (
                contents[:place] + b"\n" + b",".join([piece] * draw.randint(1, 6)) + b"\n" + contents[place:]
            )
    if draw.random() < 0.1:
        packed = gzip.compress(contents, mtime=0)
        name, contents = f"{name}.gz", packed[: draw.choice([len(packed), len(packed) - 5, 12])]
    if draw.random() < 0.05:
        contents = contents.decode("latin-1").encode("utf-16")
    return name, contents


def command(seed: int, name: str) -> tuple[object, ...]:
    """A command that takes the whole file, so that what is refused is refused for what was broken."""
    kind = name.removesuffix(".gz")
    target = ("--target", 1) if kind == "f.tsv" else ()
    impute = ("--impute",) if seed % 3 == 0 else ()
    if seed % 4 == 1:
        return ("predict", f"{kind}.kw", name)
    if seed % 8 == 2:
        return ("diagnose", name, *target, *impute)
    if seed % 8 == 6 and kind != "f.csv":  # whose target is text
        return ("tune", name, "--task", "regression", *target, *SHORT, *impute)
    return ("tune", name, *target, *SHORT, *impute)


@pytest.fixture
def models(run, tmp_path):
    """A model of every whole file."""
    for name, lines in WHOLE.items():
        (tmp_path / name).write_bytes(b"\n".join(lines))
        assert run(*command(4, name), "--model", f"{name}.kw").code == 0


def test_every_command_takes_the_whole_files(run, models):
    for name in WHOLE:
        for seed in range(8):
            assert run(*command(seed, name)).code == 0


@pytest.mark.slow
def test_no_broken_file_breaks_a_command(run, tmp_path, models):
    codes = []
    for seed in range(160):  # `python -m benchmarks.adversary commands` has more
        name, contents = broken(seed)
        (tmp_path / name).write_bytes(contents)
        code, out, err = run(*command(seed, name))
        assert code in (0, 2), f"seed {seed}: {err}"
        assert "Traceback" not in err
        if code == 2:
            assert out == "", f"seed {seed}"
            told = [k for k, line in enumerate(err.splitlines()) if line.startswith("kernelwise: ")]
            faults = err.splitlines()[told[-1] + 1 :]
            lists = ("- ", "These may also be wrong:", "To continue: ")
            assert all(line.startswith(lists) for line in faults), f"seed {seed}: {err}"
        codes.append(code)
    assert min(codes.count(0), codes.count(2)) > 16  # both ways are walked
