"""Tables 2 and 3 of paper 001 (Ayat and others 2002) on data that can be had: breast cancer and digits.

The paper takes the errors of the other classifiers of table 2 from Rätsch, Onoda and Müller (2001), who boost
networks of radial functions. Our network has centres by k-means, one width and a logistic output; their
number and its penalty are chosen on the training rows. Our AdaBoost is scikit-learn's with 200 stumps. No
library that we know of has AdaBoost with their regularisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise.estimators import TunedSVC
from kernelwise.kernels import KMOD, RBF, Kernel, Polynomial
from kernelwise.selection import ayat_select, mcnemar_test, z_test
from kernelwise.studies.notions import SURE_Z, error_over_splits
from kernelwise.studies.study import Study, load_or_say, quietly
from kernelwise.studies.tables import Row, keyed

Samples = tuple[np.ndarray, np.ndarray]

#: Kernels of table 3, with the paper's recognition rates and support vectors: not optimised, optimised.
DIGITS: dict[str, tuple[Kernel, tuple[float, int, float, int]]] = {
    "KMOD": (KMOD(), (98.56, 527, 98.98, 198)),
    "polynomial 4": (Polynomial(4), (98.40, 513, 98.81, 203)),
    "polynomial 3": (Polynomial(3), (97.88, 677, 98.25, 385)),
    "RBF": (RBF(), (98.03, 540, 98.51, 222)),
}
BEFORE, TUNED_SVC = "before", "TunedSVC"
#: What is minimised, and which point of the search is taken: settings of `ayat_select`.
RULES: dict[str, dict[str, str]] = {
    "E, lowest": {"choose": "lowest"},
    "E, fewest": {"choose": "fewest"},
    "likelihood": {"loss": "likelihood", "choose": "lowest"},
}


class Plan(NamedTuple):
    """Of a set of digits: every which training row, and the rules by kernel, in full and quickly."""

    step: int
    rules: dict[str, tuple[str, ...]]
    quick: dict[str, tuple[str, ...]]


_BOTH = ("E, lowest", "likelihood")
#: Of the 256 features of usps a sixth of the training rows and two kernels, for time.
DIGIT_SETS = {
    "optdigits": Plan(
        1,
        {"KMOD": tuple(RULES), "RBF": tuple(RULES), "polynomial 4": _BOTH, "polynomial 3": _BOTH},
        {"KMOD": _BOTH, "RBF": _BOTH},
    ),
    "usps": Plan(6, {"KMOD": _BOTH, "RBF": _BOTH}, {}),
}
#: Of the quick digits: these classes, and every fourth row.
QUICK_DIGITS, QUICK_STEP = (3, 5, 8, 9), 4
#: Errors of table 2, in per cent.
CANCER_SET, N_TEST = "breast_cancer_ljubljana", 77
CANCER_PAPER = {"KMOD": "25.4 ± 4.4", "RBF": "26.0 ± 4.7"}
CANCER = (*((kernel, rule) for kernel in CANCER_PAPER for rule in RULES), ("RBF", TUNED_SVC))
#: Errors of table 2 in per cent, and whether the paper calls them significantly different from KMOD's.
RIVALS = {
    "RBF network": ("27.6 ± 4.7", True),
    "AdaBoost": ("30.4 ± 4.7", True),
    "AdaBoost, regularised": ("26.5 ± 4.5", False),
}
N_ROUNDS = 200
#: Test images of table 3, splits behind table 2, and the kernels of table 3 with a plus sign.
N_NIST, N_SPLITS, WITH_PLUS = 10_000, 100, ("polynomial 3", "RBF")


def digit_cell(kernel_name: str, rule: str, train: Samples, test: Samples) -> dict[str, Any]:
    """Pairwise machines of one kernel before and after the search by one rule.

    Before: one kernel for all pairs, read off the training data (`Kernel.initialize`), and C = 1000. After:
    each pair's own.
    """
    X, y = train
    result = ayat_select(X, y, kernel=DIGITS[kernel_name][0].initialize(X, y), **RULES[rule])  # type: ignore[arg-type]
    summary = result.summary(*test)
    n_iterations = [pair.search.n_iterations for pair in result.pairs]
    return {
        "iterations": [min(n_iterations), max(n_iterations)],
        **{
            when: {**summary[when], "recognised": result.recognised(*test, tuned=is_tuned).astype(int)}
            for when, is_tuned in ((BEFORE, False), ("after", True))
        },
    }


def digit_rows(name: str, found: dict[tuple[str, str], dict[str, Any]]) -> list[Row]:
    """Table 3 from the cells of all kernels and rules.

    Recognised means that the right class won against every other. z and McNemar's p compare with KMOD by the
    same rule (95 %: |z| > 1.96, p < 0.05); "p of tuning" compares with the same kernel before. Iterations
    are the fewest and the most of a pair; of radial kernels the first is the scan.
    """
    first = dict(reversed(found))  # the first rule of a kernel: all of its cells have the same start

    def machines(kernel: str, rule: str) -> dict[str, Any]:
        return dict(found[kernel, first[kernel]][BEFORE] if rule == BEFORE else found[kernel, rule]["after"])

    rows = []
    for kernel, rule in _rows_of(found):
        row, before, kmod = (machines(*key) for key in ((kernel, rule), (kernel, BEFORE), ("KMOD", rule)))
        iterations = None if rule == BEFORE else "{} to {}".format(*found[kernel, rule]["iterations"])
        rows.append(
            {
                "data": name,
                "kernel": kernel,
                "tuned": rule,
                "recognised %": 100 * row["recognition"],
                "rejected %": 100 * row["rejection"],
                "by vote %": 100 * row["accuracy"],
                "support": row["support_vectors"],
                "iterations": iterations,
                "z against KMOD": z_test(row["recognised"], kmod["recognised"])[0],
                "p against KMOD": mcnemar_test(row["recognised"], kmod["recognised"]).p_value,
                "p of tuning": mcnemar_test(row["recognised"], before["recognised"]).p_value,
            }
        )
    return rows


def _rows_of(found: dict[tuple[str, str], Any]) -> Iterator[tuple[str, str]]:
    for kernel in dict.fromkeys(kernel for kernel, _ in found):
        yield kernel, BEFORE
        yield from (key for key in found if key[0] == kernel)


def tuned_pairs(rows: list[Row]) -> list[tuple[Row, Row]]:
    """Every tuned row of table 3, with that of the same set and kernel before."""
    at = keyed(rows, "data", "kernel", "tuned")
    return [(row, at[data, kernel, BEFORE]) for (data, kernel, rule), row in at.items() if rule != BEFORE]


def digit_sentences(rows: list[Row]) -> Iterator[str]:
    """What tuning does to each kernel's rate and support vectors."""
    for after, before in tuned_pairs(rows):
        yield (
            f"{after['data']}, {after['kernel']}, {after['tuned']}: tuning changes the recognition rate by "
            f"{after['recognised %'] - before['recognised %']:+.2f} points (McNemar's p "
            f"{after['p of tuning']:.2g}) and the number of support vectors from {before['support']:.0f} to "
            f"{after['support']:.0f}."
        )


class Centres(TransformerMixin, BaseEstimator):
    """Radial functions around centres by k-means, as wide as neighbouring centres are apart."""

    def __init__(self, n_centres: int = 8) -> None:
        self.n_centres = n_centres

    def fit(self, X: np.ndarray, y: np.ndarray | None = None) -> Self:
        """Find the centres of X of shape (n_samples, n_features)."""
        self.centres_ = KMeans(self.n_centres, n_init=3, random_state=0).fit(X).cluster_centers_
        apart = euclidean_distances(self.centres_)
        np.fill_diagonal(apart, np.inf)
        self.width_ = float(apart.min(axis=1).mean())
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Values of shape (n_samples, n_centres)."""
        return np.exp(-(euclidean_distances(X, self.centres_, squared=True)) / (2 * self.width_**2))


def made(name: str) -> Any:
    """The classifier of a name."""
    if name == "AdaBoost":
        return AdaBoostClassifier(n_estimators=N_ROUNDS, random_state=0)
    network = make_pipeline(Centres(), LogisticRegression())
    grid = {"centres__n_centres": (4, 8, 16, 32), "logisticregression__C": (0.1, 1.0, 10.0)}
    return GridSearchCV(network, grid, cv=5)


def rival_rows(errors: dict[str, list[float]], kmod: list[float], n_train: int, n_test: int) -> list[Row]:
    """Mean errors over the splits, and how far they are from KMOD's."""
    rows = []
    for name, (printed, is_different) in RIVALS.items():
        row: Row = {"classifier": name, "paper's": printed, "paper: significant": is_different}
        if name in errors:
            gap = np.array(errors[name]) - kmod
            row |= {"error %": float(np.mean(errors[name])), "less KMOD": float(gap.mean())}
            row |= {"± s.e.": error_over_splits(gap, n_test / n_train), "splits": len(gap)}
        else:
            row |= dict.fromkeys(("error %", "less KMOD", "± s.e.", "splits"))
        rows.append(row)
    return rows


def cancer_parts(X: np.ndarray, y: np.ndarray, split: int) -> tuple[Samples, Samples]:
    """Training and test part of a random split, scaled as the training part says."""
    parts = StratifiedShuffleSplit(split + 1, test_size=N_TEST, random_state=0).split(X, y)
    train, test = list(parts)[split]
    scaler = StandardScaler().fit(X[train])
    return (scaler.transform(X[train]), y[train]), (scaler.transform(X[test]), y[test])


def rival_cell(name: str, X: np.ndarray, y: np.ndarray, split: int) -> float:
    """Error in per cent of another classifier of table 2."""
    train, test = cancer_parts(X, y, split)
    return 100 * (1 - float(made(name).fit(*train).score(*test)))


def cancer_cell(kernel_name: str, rule: str, X: np.ndarray, y: np.ndarray, split: int) -> list[float | None]:
    """Error in per cent and support vectors, before and after, every choice made on 200 training rows."""
    (Z, labels), test = cancer_parts(X, y, split)
    if rule == TUNED_SVC:
        model = TunedSVC("rbf", random_state=0).fit(Z, labels)
        return [None, None, 100 * (1 - model.score(*test)), None]
    start = DIGITS[kernel_name][0].initialize(Z, labels)
    result = ayat_select(Z, labels, kernel=start, refit=True, **RULES[rule])  # type: ignore[arg-type]
    summary = result.summary(*test)
    return [
        value
        for when in (BEFORE, "after")
        for value in (100 * (1 - summary[when]["accuracy"]), float(summary[when]["support_vectors"]))
    ]


def cancer_row(
    kernel_name: str, rule: str, found: list[list[float | None]], kmod: list[float], y: np.ndarray
) -> Row:
    """Table 2: means over random splits, the spread of the error, and how far it is from KMOD's ``kmod``."""
    values = np.array(found, dtype=float)
    gap = values[:, 2] - kmod
    means = [None if np.isnan(column).all() else float(column.mean()) for column in values.T]
    return {
        "kernel": kernel_name,
        "tuned": rule,
        "splits": len(found),
        "error % before": means[0],
        "error % after": means[2],
        "spread": float(np.std(values[:, 2], ddof=1 if len(found) > 1 else 0)),
        "less KMOD": float(gap.mean()),
        "± s.e.": error_over_splits(gap, N_TEST / (len(y) - N_TEST)) if len(gap) > 1 else None,
        "support before": means[1],
        "support after": means[3],
        "smaller class %": 100 * float(np.unique(y, return_counts=True)[1].min() / len(y)),
        "paper's": CANCER_PAPER[kernel_name],
    }


def signs(study: Study) -> None:
    """The plus signs of tables 2 and 3, "significantly different from KMOD", by the printed numbers.

    Also whether what table 3 gains by tuning is significant, which the paper does not ask.
    """
    study.table("signs", "The plus signs of tables 2 and 3, from the printed numbers", sign_rows())
    study.table("gains", "What tuning gains in table 3, from the printed numbers", gain_rows())


def sign_rows() -> list[Row]:
    """z of every printed rate of table 3, and of every printed mean and spread of table 2, against KMOD's."""
    rows: list[Row] = []
    for first, when in ((2, "optimized"), (0, "not optimized")):
        rates = {kernel: numbers[first] / 100 for kernel, (_, numbers) in DIGITS.items()}
        for kernel in list(rates)[1:]:
            z = z_test(rates["KMOD"], rates[kernel], N_NIST)[0]
            has_plus = kernel in WITH_PLUS
            rows.append({"table": 3, "against KMOD": f"{kernel}, {when}", "z": z, "paper's plus": has_plus})
    errors = {"RBF": (CANCER_PAPER["RBF"], False), **RIVALS}
    mean, spread = map(float, CANCER_PAPER["KMOD"].split(" ± "))
    for name, (printed, has_plus) in errors.items():
        other, its_spread = map(float, printed.split(" ± "))
        z = (other - mean) / float(np.hypot(spread, its_spread)) * np.sqrt(N_SPLITS)
        rows.append({"table": 2, "against KMOD": name, "z": z, "paper's plus": has_plus})
    return [row | {"significant": bool(abs(row["z"]) > SURE_Z)} for row in rows]


def gain_rows() -> list[Row]:
    """z of every printed rate of table 3 after tuning, against the one before it."""
    rows: list[Row] = []
    for kernel, (_, (before, _, after, _)) in DIGITS.items():
        z = z_test(after / 100, before / 100, N_NIST)[0]
        rows.append({"kernel": kernel, "before %": before, "after %": after, "gain": after - before, "z": z})
    return [row | {"significant": bool(row["z"] > SURE_Z)} for row in rows]


def digits(study: Study) -> None:
    """Table 3."""
    rows: list[Row] = []
    for name, plan in DIGIT_SETS.items():
        parts = [load_or_say(name, part) for part in ("train", "test")]
        samples = [(dataset.X, dataset.y) for dataset in parts if dataset is not None]
        if len(samples) < 2 or (study.is_quick and name != next(iter(DIGIT_SETS))):
            continue
        samples[0] = samples[0][0][:: plan.step], samples[0][1][:: plan.step]
        if study.is_quick:
            samples = [_few(*part) for part in samples]
        highest = np.abs(samples[0][0]).max()
        train, test = ((X / highest, y) for X, y in samples)
        found = {
            (kernel, rule): study.cell(
                f"digits/{name}/{kernel}/{rule}", quietly, digit_cell, kernel, rule, train, test
            )
            for kernel, rules in study.choose(plan.rules, plan.quick).items()
            for rule in rules
        }
        rows += digit_rows(name, found)
    caption = "Table 3: pairwise machines on optdigits, and on a sixth of the training rows of usps"
    study.table("digits", caption, rows)
    for sentence in digit_sentences(rows):
        study.note(sentence)


def _few(X: np.ndarray, y: np.ndarray) -> Samples:
    rows = np.flatnonzero(np.isin(y, QUICK_DIGITS))[::QUICK_STEP]
    return X[rows], y[rows]


def cancer(study: Study) -> None:
    """Table 2."""
    dataset = load_or_say(CANCER_SET)
    if dataset is None:
        return
    X, y = dataset
    n_splits = study.choose(20, 2)
    rows: list[Row] = []
    kmod: dict[str, list[float]] = {}
    for kernel, rule in CANCER:
        key = f"cancer/{kernel}/{rule}"
        found = study.cells(key, n_splits, quietly, cancer_cell, kernel, rule, X, y)
        kmod.setdefault(rule, [error for *_, error, _ in found])
        # TunedSVC has no KMOD of its own: it is compared with that of the first rule.
        with_kmod = kmod[CANCER[0][1] if rule == TUNED_SVC else rule]
        rows.append(cancer_row(kernel, rule, found, with_kmod, y))
    study.table("cancer", "Table 2: error in per cent on the Ljubljana breast cancer set", rows)
    errors = {
        name: study.cells(f"rivals/{name}", n_splits, rival_cell, name, X, y)
        for name in ("RBF network", "AdaBoost")
    }
    caption = f"Table 2: the other classifiers, less KMOD by the rule {CANCER[0][1]!r}"
    study.table("rivals", caption, rival_rows(errors, kmod[CANCER[0][1]], len(y) - N_TEST, N_TEST))
