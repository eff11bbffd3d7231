"""Golden results: what every estimator and every paper's procedure answers, to the last bit.

``python -m benchmarks.golden write FILE`` runs all cases and writes kernels, C, scores, labels and decision
values; ``python -m benchmarks.golden compare OLD NEW`` says which cases differ, and by how much. Whoever
moves code writes a file before the first move and compares after every step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.datasets
from sklearn.model_selection import KFold

from kernelwise import SVC, GridSearchSVC, MetricTransformer, NystroemSVC, TunedSVC, TunedSVR, selection
from kernelwise.criteria import ESDR
from kernelwise.datasets import load
from kernelwise.estimators import SVR
from kernelwise.kernels import RBF
from kernelwise.optimizers import QuasiNewton

#: What two equal answers may differ by: rounding in another order of the same sums.
TOLERANCE = 1e-10
OF_SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "digits")
OF_FILES = (
    "heart_statlog",
    "vertebral_2c",
    "ilpd",
    "tic_tac_toe",
    "banknote",
    "titanic",
    "segment",
    "splice_ida",
    "planning_relax",
    "satimage",
)
#: Rows and features: metrics take time that grows like the square of both.
N_ROWS, N_FEATURES = 110, 8
#: Parts of results that are times, or that are asked instead of written.
LEFT_OUT = ("seconds", "estimator", "findings", "diagnostics")
#: Answers of a model that are kept.
N_ASKED = 40
Answer = dict[str, Any]


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Names, samples and labels of the sets, a shuffled part of each."""
    for name in (*OF_SCIKIT_LEARN, *OF_FILES):
        if name in OF_SCIKIT_LEARN:
            X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        else:
            X, y = load(name, part="test") if name == "satimage" else load(name)
        rows = np.random.default_rng(0).permutation(len(y))[:N_ROWS]
        X = np.asarray(X, dtype=float)[rows]
        X = X[:, np.flatnonzero(np.ptp(X, axis=0) > 0)[:N_FEATURES]]
        y = np.asarray(y)[rows]
        classes, counts = np.unique(y, return_counts=True)
        is_enough = np.isin(y, classes[counts >= 10])
        yield name, X[is_enough], y[is_enough]


def targets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Names, samples and targets of regressions."""
    X, y = sklearn.datasets.load_diabetes(return_X_y=True)
    yield "diabetes", X[:N_ROWS], y[:N_ROWS]
    for k, make in enumerate(
        (sklearn.datasets.make_friedman1, sklearn.datasets.make_friedman2, sklearn.datasets.make_friedman3)
    ):
        X, y = make(N_ROWS, noise=0.5 * (k == 0), random_state=0)
        yield make.__name__.removeprefix("make_"), X, y


def weights(y: np.ndarray) -> np.ndarray:
    """Weights 0, 1 and 2."""
    return np.random.default_rng(1).integers(0, 3, len(y)).astype(float) + (np.arange(len(y)) < len(y) // 2)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "rbf": lambda: TunedSVC(),
    "diagonal": lambda: TunedSVC("diagonal"),
    "gaussian": lambda: TunedSVC("gaussian"),
    "auto": lambda: TunedSVC("auto"),
    "mahalanobis": lambda: TunedSVC("mahalanobis"),
    "linear": lambda: TunedSVC("linear"),
    "poly": lambda: TunedSVC("poly"),
    "kmod": lambda: TunedSVC("kmod"),
    "esdr": lambda: TunedSVC(criterion="esdr"),
    "cv-error": lambda: TunedSVC(criterion="cv-error"),
    "radius-margin by quasi-Newton": lambda: TunedSVC(criterion="radius-margin", search=QuasiNewton()),
    "nystroem": lambda: TunedSVC(solver="nystroem"),
    "dask": lambda: TunedSVC(backend="dask"),
    "dask diagonal": lambda: TunedSVC("diagonal", backend="dask"),
    "budget": lambda: TunedSVC(time_budget=3600.0),
    "one-standard-error": lambda: TunedSVC(refit="one-standard-error"),
    "f1": lambda: TunedSVC(scoring="f1_macro"),
    "own folds": lambda: TunedSVC(cv=KFold(4, shuffle=True, random_state=1)),
    "ovr balanced": lambda: TunedSVC(multiclass="ovr", class_weight="balanced"),
    "reject": lambda: TunedSVC(multiclass="ovo-reject", reject_label=None, scale="minmax", Cs=[0.1, 1, 10]),
    "grid": lambda: GridSearchSVC({"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}, cv=3),
    "grid scaled": lambda: GridSearchSVC(
        {"C": [0.1, 10.0], "kernel": ["linear", "rbf"]}, cv=3, scaler="standard"
    ),
    "svc": lambda: SVC(probability=True, random_state=0),
    "nystroem_svc": lambda: NystroemSVC(),
}
#: On every set but those with more classes than this, which take long.
FEW_CLASSES = ("gaussian", "auto", "kmod", "cv-error", "radius-margin by quasi-Newton", "dask diagonal")

REGRESSORS: dict[str, Callable[[], Any]] = {
    "rbf": lambda: TunedSVR(),
    "diagonal": lambda: TunedSVR("diagonal"),
    "gaussian": lambda: TunedSVR("gaussian"),
    "auto": lambda: TunedSVR("auto"),
    "poly": lambda: TunedSVR("poly"),
    "linear": lambda: TunedSVR("linear"),
    "kta": lambda: TunedSVR(criterion="kta"),
    "cv-error": lambda: TunedSVR(criterion="cv-error"),
    "epsilons": lambda: TunedSVR(epsilons=[0.05, 0.2]),
    "mae": lambda: TunedSVR(scoring="neg_mean_absolute_error"),
    "one-standard-error": lambda: TunedSVR(refit="one-standard-error"),
    "svr": lambda: SVR(),
}


def answer_of(model: Any, X: Any) -> Answer:
    """What a fitted model has chosen, and what it says of some samples."""
    found: Answer = {}
    for name in ("kernel_", "C_", "epsilon_", "best_score_", "best_index_", "intercept_", "n_svm_fits_"):
        if hasattr(model, name):
            found[name] = plain(getattr(model, name))
    for name in ("relevance_", "criterion_path_", "held_out_score_", "search_results_"):
        if hasattr(model, name):
            found[name] = plain(getattr(model, name))
    if hasattr(model, "cv_results_"):
        found["mean_test_score"] = plain(model.cv_results_["mean_test_score"])
        found["std_test_score"] = plain(model.cv_results_["std_test_score"])
        found["reason"] = plain(model.cv_results_.get("reason", []))
    if hasattr(model, "diagnostics_"):
        found["findings"] = [finding.name for finding in model.diagnostics_]
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(model, method):
            found[method] = plain(getattr(model, method)(X[:N_ASKED]))
    return found


def plain(value: Any) -> Any:
    """Kernels, arrays and results as JSON has them; numbers keep all digits."""
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items() if key not in LEFT_OUT}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(own) for own in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | np.number):
        return float(value)
    if hasattr(value, "theta"):
        return {"kernel": type(value).__name__, "theta": plain(np.asarray(value.theta))}
    return plain(vars(value)) if is_dataclass(value) else type(value).__name__


PROCEDURES: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "abe": lambda X, y: selection.abe_select(X, y),
    "abe grid": lambda X, y: selection.abe_grid_search(X, y),
    "ayat": lambda X, y: selection.ayat_select(X, y, random_state=0),
    "glasmachers": lambda X, y: selection.glasmachers_select(X, y),
    "laanaya": lambda X, y: selection.laanaya_select(X, y, max_iter=10, Cs=[0.1, 1.0, 10.0], cv=3),
    "constant trace": lambda X, y: selection.constant_trace_select(X[:50], y[:50], Cs=[0.1, 10.0], cv=2),
    "adaptive": lambda X, y: selection.adaptive_scaling_select(X, y, max_iter=10, cv=3),
    "learn_metric": lambda X, y: selection.learn_metric(X, y, ("rbf", "diagonal"), starts=(2.0,), cv=3),
    "yin": lambda X, y: selection.yin_select(X, y),
    "yin grid": lambda X, y: selection.yin_grid_search(X, y),
}


def procedure(name: str, X: np.ndarray, y: np.ndarray) -> Answer:
    """Every field of a procedure's result, and what its machine says."""
    result = PROCEDURES[name](X, y)
    found: Answer = plain(vars(result))
    if hasattr(result, "estimator"):
        found["predict"] = plain(result.estimator.predict(X[:N_ASKED]))
        found["decision"] = plain(result.estimator.decision_function(X[:N_ASKED]))
    return found


def transformed(X: np.ndarray, y: np.ndarray) -> Answer:
    """A learned metric as a transformer."""
    return answer_of(MetricTransformer(starts=(2.0,)).fit(X, y), X)


def cases() -> Iterator[tuple[str, Callable[[], Answer]]]:
    """Names of all cases, and what runs each."""
    for table, X, y in tables():
        n_classes = len(np.unique(y))
        for name, make in CLASSIFIERS.items():
            if name in FEW_CLASSES and n_classes > 3:
                continue
            yield f"{table}: {name}", lambda X=X, y=y, make=make: answer_of(make().fit(X, y), X)
        yield (
            f"{table}: weights",
            lambda X=X, y=y: answer_of(TunedSVC().fit(X, y, sample_weight=weights(y)), X),
        )
        if n_classes == 2:
            yield (
                f"{table}: roc_auc",
                lambda X=X, y=y: answer_of(TunedSVC(scoring="roc_auc", criterion=ESDR()).fit(X, y), X),
            )
        yield (
            f"{table}: precomputed",
            lambda X=X, y=y: answer_of(TunedSVC("precomputed").fit(RBF(0.1)(X), y), RBF(0.1)(X)),
        )
        yield f"{table}: metric transformer", lambda X=X, y=y: transformed(X, y)
        for name in PROCEDURES:
            if n_classes <= 3:
                yield f"{table}: {name}", lambda X=X, y=y, name=name: procedure(name, X, y)
    for table, X, y in targets():
        for name, make in REGRESSORS.items():
            yield f"{table}: {name}", lambda X=X, y=y, make=make: answer_of(make().fit(X, y), X)
        yield (
            f"{table}: weights",
            lambda X=X, y=y: answer_of(TunedSVR().fit(X, y, sample_weight=weights(y)), X),
        )


def warm_up() -> None:
    """Let another process compile: code that was compiled here rounds otherwise than code that was loaded."""
    fit = "TunedSVC().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5)"
    subprocess.run([sys.executable, "-c", f"from kernelwise import TunedSVC; {fit}"], check=True)


def write(path: Path, only: str) -> None:
    """Run all cases whose name contains a word, and write their answers."""
    warm_up()
    found: dict[str, Answer] = {}
    for name, run in cases():
        if only not in name:
            continue
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = run()
            except ValueError as error:
                found[name] = {"error": str(error)}
        seconds = time.perf_counter() - started
        if seconds > 2.0:
            print(f"{name}: {seconds:.1f} s", file=sys.stderr, flush=True)
    path.write_text(json.dumps(found))
    print(f"{len(found)} cases in {path}")


def distance(old: Any, new: Any) -> float:
    """Largest relative difference of numbers; infinite where the shapes, the names or the words differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        return max((distance(old.get(key), new.get(key)) for key in {**old, **new}), default=0.0)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return max((distance(a, b) for a, b in zip(old, new, strict=True)), default=0.0)
    if isinstance(old, float) and isinstance(new, float | int) and not isinstance(new, bool):
        same = old == new or (old != old and new != new)
        return 0.0 if same else abs(old - new) / max(1.0, abs(old), abs(new))
    return 0.0 if old == new else float("inf")


def compare(old: dict[str, Answer], new: dict[str, Answer]) -> int:
    """Print the cases that differ by more than rounding; returns how many they are."""
    differing, rounded = 0, 0.0
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            print(f"{name}: only in the {'new' if name in new else 'old'} file")
            differing += 1
            continue
        parts = {key: distance(old[name].get(key), new[name].get(key)) for key in {**old[name], **new[name]}}
        far = {key: value for key, value in parts.items() if not value <= TOLERANCE}
        rounded = max([rounded, *(value for value in parts.values() if value <= TOLERANCE)])
        if far:
            differing += 1
            shown = ", ".join(f"{key} by {value:.2g}" for key, value in sorted(far.items()))
            print(f"{name}: {shown}")
    print(f"{differing} of {len({*old, *new})} cases differ; the others by {rounded:.2g} at most")
    return differing


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="run all cases")
    writing.add_argument("file", type=Path)
    comparing = commands.add_parser("compare", help="say what differs")
    for command in (writing, comparing):
        command.add_argument("--only", default="", help="cases whose name contains this")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments.file, arguments.only)
    else:
        old, new = (
            {name: own for name, own in json.loads(path.read_text()).items() if arguments.only in name}
            for path in (arguments.old, arguments.new)
        )
        sys.exit(1 if compare(old, new) else 0)


if __name__ == "__main__":
    main()
