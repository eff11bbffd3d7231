"""What one fit goes through: how deep, through how many modules and functions, and how often labels change.

``python -m benchmarks.traced`` fits ``TunedSVC()`` and a few others to 120 rows of six features with two text
labels, in one thread, and follows every call of a function of kernelwise.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from kernelwise import GridSearchSVC, TunedOneClassSVM, TunedSVC, TunedSVR

N_ROWS, N_FEATURES = 120, 6
#: Functions that turn labels into class indices, those that turn indices into labels, and checks of folds.
ENCODE = ("encode_labels", "check_labels")
DECODE = ("labels_at", "decoded", "_with_labels")
FOLDS = ("check_folds", "check_disjoint", "check_trained")


@dataclass
class Trace:
    """Calls of functions of kernelwise: how deep the deepest is, and how often each is called."""

    deepest: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith("kernelwise"):
            return
        self.calls[module, frame.f_code.co_qualname] += 1
        depth, at = 0, frame
        while at is not None:
            depth += at.f_globals.get("__name__", "").startswith("kernelwise")
            at = at.f_back
        self.deepest = max(self.deepest, depth)

    def count(self, names: tuple[str, ...]) -> str:
        """How often functions of these names are called."""
        found = Counter(dict.fromkeys(names, 0))
        for (_, function), n in self.calls.items():
            name = function.rpartition(".")[2]
            if name in names:
                found[name] += n
        return ", ".join(f"{n} {name}" for name, n in found.items())


def traced(fit: Callable[[], Any]) -> Trace:
    """Follow what a fit calls, in this thread."""
    trace = Trace()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit()  # what is imported or prepared once is not part of a fit
        threading.setprofile(trace)
        sys.setprofile(trace)
        try:
            fit()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return trace


def main() -> None:
    """Print one block for every model."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, N_FEATURES))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=N_ROWS) > 0, "yes", "no")
    models = {
        'TunedSVC("rbf")': lambda: TunedSVC("rbf", n_jobs=1).fit(X, y),
        "TunedSVC()": lambda: TunedSVC(n_jobs=1).fit(X, y),
        "TunedSVR()": lambda: TunedSVR(n_jobs=1).fit(X, X[:, 0]),
        "TunedOneClassSVM()": lambda: TunedOneClassSVM(n_jobs=1).fit(X),
        "GridSearchSVC()": lambda: GridSearchSVC({"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, cv=3).fit(X, y),
    }
    for name, fit in models.items():
        trace = traced(fit)
        n_modules = len({module for module, _ in trace.calls})
        print(
            f"{name}: {trace.deepest} frames deep, {n_modules} modules, {len(trace.calls)} functions, "
            f"{trace.calls.total()} calls"
        )
        print(f"  labels to indices: {trace.count(ENCODE)}; indices to labels: {trace.count(DECODE)}")
        print(f"  folds: {trace.count(FOLDS)}")


if __name__ == "__main__":
    main()
