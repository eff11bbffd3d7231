"""What is claimed for a model, and what is true of it on new rows: ``python -m benchmarks.honesty --help``.

Twelve kinds of simulated data, whose models are asked about thousands of new rows, or real sets of which a
model learns 300 rows. The table has means in per cent: the score that is claimed, the one that is expected
when luck is taken off, the truth, how far the two are above it, their error, and how often the truth is
within two errors of each.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer

from benchmarks.nested import samples
from benchmarks.trust import coded
from kernelwise import TunedSVC, TunedSVR
from kernelwise._core.journal import Journal
from kernelwise.exceptions import KernelwiseWarning

#: Rows, targets, and groups if they are known.
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def noise(rng: np.random.Generator, n: int) -> Drawn:
    """Two classes that have nothing to do with five columns."""
    return rng.normal(size=(n, 5)), rng.integers(0, 2, n), None


def strong(rng: np.random.Generator, n: int) -> Drawn:
    """Two Gaussians that overlap by 5 %."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 4)) + 1.65 * y[:, None], y, None


def weak(rng: np.random.Generator, n: int) -> Drawn:
    """Two Gaussians of which two thirds of the rows can be told."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 5)) + 0.4 * y[:, None], y, None


def tied(rng: np.random.Generator, n: int) -> Drawn:
    """Three columns of few values: most settings give the same answers."""
    X = np.column_stack([rng.integers(0, k, n) for k in (2, 3, 4)])
    share = 0.2 + 0.5 * X[:, 0] - 0.15 * (X[:, 1] == 2) + 0.1 * (X[:, 2] == 0)
    return X.astype(float), (rng.random(n) < share).astype(int), None


def rare(rng: np.random.Generator, n: int) -> Drawn:
    """A class of 8 % of the rows."""
    y = (rng.random(n) < 0.08).astype(int)
    return rng.normal(size=(n, 5)) + 0.9 * y[:, None], y, None


def wide(rng: np.random.Generator, n: int) -> Drawn:
    """Sixty columns, of which three matter."""
    X = rng.normal(size=(n, 60))
    return X, (X[:, :3].sum(axis=1) + rng.normal(size=n) > 0).astype(int), None


def three(rng: np.random.Generator, n: int) -> Drawn:
    """Three classes in a row."""
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.8 * y
    X[:, 1] += 1.2 * (y == 1)
    return X, y, None


def xor(rng: np.random.Generator, n: int) -> Drawn:
    """Classes by the signs of two columns, with 15 % of wrong labels."""
    X = rng.normal(size=(n, 3))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.15)).astype(int), None


def numbers(rng: np.random.Generator, n: int) -> Drawn:
    """A smooth function of three of five columns, with noise."""
    X = rng.random(size=(n, 5))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y + 0.3 * rng.normal(size=n), None


def copies(rng: np.random.Generator, n: int) -> Drawn:
    """Every row three times with noise of 1 %, and with the label of the first."""
    X, y, _ = weak(rng, -(-n // 3))
    X = np.repeat(1.5 * X, 3, axis=0)[:n]
    return X + 0.01 * rng.normal(size=X.shape), np.repeat(y, 3)[:n], None


def groups(rng: np.random.Generator, n: int) -> Drawn:
    """Groups of six rows that are alike and have one label; the groups are known."""
    group = np.arange(n) // 6
    of_group, y, _ = weak(rng, int(group.max()) + 1)
    X = 1.5 * of_group[group] + 0.5 * rng.normal(size=(n, 5))
    return X, y[group], group


#: The kinds of data, and how many rows are drawn of each.
KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Drawn], int]] = {
    "no signal": (noise, 100),
    "strong signal": (strong, 60),
    "weak signal": (weak, 150),
    "settings tie": (tied, 300),
    "rare class": (rare, 250),
    "many columns": (wide, 100),
    "three classes": (three, 120),
    "wrong labels": (xor, 120),
    "numbers": (numbers, 120),
    "near copies": (copies, 150),
    "groups": (groups, 180),
    "many rows": (weak, 2000),
}
#: Rows on which the truth is seen.
N_NEW = 6000
#: Real sets of which a model learns some rows, and the others have the truth; those of a folder have a file.
SETS, FILES = ("letter_train", "satimage_train", "waveform"), ("phoneme.csv", "adult10k.csv.gz")
N_LEARNED = 300
#: What ``--blend`` may be.
BLENDS: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}


class Outcome(NamedTuple):
    """What was claimed of one model, with its error, what was to be expected, and what is true."""

    claim: float
    error: float
    expected: float
    truth: float

    @property
    def is_within(self) -> bool:
        """Whether the truth is within two errors of what was to be expected."""
        return abs(self.truth - self.expected) <= 2.0 * self.error


def outcome_of(drawn: Drawn, new: Drawn, **how: Any) -> Outcome:
    """Claim and truth of the model of some rows; ``how`` are ``blend`` and ``scoring`` of the estimators."""
    (X, y, group), make = drawn, TunedSVR if drawn[1].dtype.kind == "f" else TunedSVC
    scoring = how.get("scoring")
    model = make(**how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)
        model.fit(X, y, **({} if group is None else {"groups": group}))
        truth = model.score(*new[:2]) if scoring is None else get_scorer(scoring)(model, *new[:2])
    told = model.result_
    return Outcome(told.score, told.standard_error, told.corrected_score, truth)


def simulated(kind: str, seed: int, n_new: int = N_NEW, **how: Any) -> Outcome:
    """The outcome of one draw of a kind."""
    (make, n), rng = KINDS[kind], np.random.default_rng([seed, list(KINDS).index(kind)])
    return outcome_of(make(rng, n), make(rng, n_new), **how)


def real(read: Callable[[], tuple[Any, Any]], seed: int, **how: Any) -> Outcome:
    """The outcome of some rows of a set; all other rows are new."""
    X, y = read()
    rows = np.random.default_rng(seed).permutation(len(y))
    learned, new = rows[:N_LEARNED], rows[N_LEARNED:]
    return outcome_of((X[learned], y[learned], None), (X[new], y[new], None), **how)


def line(name: str, outcomes: list[Outcome]) -> str:
    """Means of some outcomes, in per cent, and how often the truth is within two errors."""
    claim, error, expected, truth = 100.0 * np.array(outcomes).T
    near_claim = (abs(truth - claim) <= 2.0 * error).mean()
    means = " | ".join(f"{one.mean():.1f}" for one in (claim, expected, truth))
    above = " | ".join(f"{one.mean():+.1f}" for one in (claim - truth, expected - truth))
    within = np.mean([one.is_within for one in outcomes])
    return f"| {name} | {means} | {above} | {error.mean():.1f} | {near_claim:.0%} | {within:.0%} |"


def main() -> None:
    """Print a line for every kind or set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=30, help="of every kind or set (default: %(default)s)")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), metavar="KIND", help="default: all")
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="real sets in place of simulated ones")
    parser.add_argument("--seed", type=int, default=0, help="of the first draw (default: %(default)s)")
    parser.add_argument("--blend", choices=list(BLENDS), default="auto", help="default: %(default)s")
    parser.add_argument("--scoring", help="a score of scikit-learn (default: accuracy, or R²)")
    parser.add_argument("--journal", type=Path, help="file that keeps what is done")
    given = parser.parse_args()
    draws: dict[str, Callable[..., Outcome]] = {kind: partial(simulated, kind) for kind in given.kinds}
    if given.real is not None:
        draws = {name: partial(real, cache(partial(samples, name))) for name in SETS}
        draws |= {name: partial(real, cache(partial(coded, given.real / name))) for name in FILES}
    journal: Any = {} if given.journal is None else Journal(given.journal, {"study": "honesty"})
    print(f"Means of {given.draws} draws; error is that which is told.\n")
    print("| data | claimed | expected | true | claimed − true | expected − true | error | ", end="")
    print("truth within two errors of the claim | of what is expected |\n" + "|---" * 9 + "|")
    for name, draw in draws.items():
        found = []
        for seed in range(given.seed, given.seed + given.draws):
            cell = f"{name} {seed} {given.blend} {given.scoring}"
            if cell not in journal:
                journal[cell] = list(draw(seed, blend=BLENDS[given.blend], scoring=given.scoring))
            found.append(Outcome(*journal[cell]))
        print(line(f"{name}, {KINDS[name][1]} rows" if name in KINDS else name, found), flush=True)


if __name__ == "__main__":
    main()
