"""What a blend gains and costs: ``python -m benchmarks.blend --tables FOLDER [--sets NAME ...]``

TunedSVC and TunedSVR with and without ``blend`` on the same five outer folds of at most 800 rows: accuracy,
log-loss and PR AUC (one class against the rest, mean over the classes) or R², CPU seconds of a fit and of the
answers to 5000 rows, and what the quoted score promises beyond the accuracy, or R², of the outer folds. A
line for each set has the differences, the last lines their means and standard errors over the sets. Finished
cells are kept in a CSV file in the folder --out: an interrupted run goes on. The sets are those of
KERNELWISE_DATA and of the folder --tables, as in `benchmarks.forests`. ``--promises`` compares quoted scores
with the accuracy on many new rows of simulated sets.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import average_precision_score, log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import label_binarize

from benchmarks.forests import NUMBERS, TASKS, cut, read
from kernelwise import TunedSVC, TunedSVR
from kernelwise.search.final import blend

N_FOLDS, N_ASKED = 5, 5000
SETS = (
    *(
        "banana",
        "banknote",
        "breast_cancer_wisconsin",
        "dna",
        "heart_statlog",
        "ilpd",
        "iris",
        "letter_train",
    ),
    *("optdigits_train", "pendigits_train", "planning_relax", "ringnorm", "satimage_train", "segment"),
    *("splice_ida", "thyroid_train", "tic_tac_toe", "titanic", "twonorm", "usps_train", "vertebral_2c"),
    *("waveform", "phoneme", "german_credit", *NUMBERS),
)
#: Losses beside the hinge loss that a blend has; None is no blend.
VARIANTS: dict[str, tuple[str, ...] | None] = {
    "single": None,
    "blend": blend.LOSSES,
    "hinge": (),
    "logistic": ("logistic",),
}
MEASURES = ("score", "log_loss", "pr_auc", "fit", "predict", "promised")
FIELDS = ("set", "fold", "variant", *MEASURES)


def measured(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, variant: str) -> list[Any]:
    """The numbers of `MEASURES` for one outer fold."""
    is_numbers = y.dtype.kind == "f"
    losses = VARIANTS[variant]
    model: Any = (TunedSVR if is_numbers else TunedSVC)(blend=losses is not None)
    started = time.process_time()
    with mock.patch.object(blend, "LOSSES", losses or ()):
        model.fit(X[train], y[train])
    fitted = time.process_time()
    asked = np.resize(X[test], (N_ASKED, X.shape[1]))
    begun = time.process_time()
    model.predict(asked)
    answered = time.process_time()
    predicted = model.predict(X[test])
    score = r2_score(y[test], predicted) if is_numbers else np.mean(predicted == y[test])
    loss = precision = ""
    if not is_numbers:
        p = model.predict_proba(X[test])
        loss = log_loss(y[test], p, labels=model.classes_)
        truth = label_binarize(y[test], classes=model.classes_)
        truth = np.hstack([1 - truth, truth]) if truth.shape[1] == 1 else truth
        precision = (
            average_precision_score(truth[:, -1], p[:, -1])
            if p.shape[1] == 2
            else average_precision_score(truth, p)
        )
    return [score, loss, precision, fitted - started, answered - begun, model.best_score_]


def cells(name: str, options: argparse.Namespace, known: dict[tuple[str, ...], dict[str, str]]) -> None:
    """Measure what is not known yet of a set, and add it to the file."""
    X, y = cut(*read(name, options.tables), options.rows, TASKS[name])
    folds = KFold if TASKS[name] == "regression" else StratifiedKFold
    y = y.astype(float) if TASKS[name] == "regression" else np.unique(y, return_inverse=True)[1]
    for k, (train, test) in enumerate(folds(N_FOLDS, shuffle=True, random_state=7).split(X, y)):
        for variant in options.variants:
            key = name, str(k), variant
            if key in known:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row = dict(zip(FIELDS, [*key, *measured(X, y, train, test, variant)], strict=True))
            known[key] = {field: str(value) for field, value in row.items()}
            with options.file.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, FIELDS).writerow(row)


def table(
    names: list[str], known: dict[tuple[str, ...], dict[str, str]], options: argparse.Namespace
) -> None:
    """Print the differences of each set and their means, over sets with classes and with numbers."""
    before, after = options.variants[0], options.variants[-1]
    for task in ("classification", "regression"):
        rows = []
        for name in (name for name in names if TASKS[name] == task):

            def mean(variant: str, measure: str, name: str = name) -> float:
                found = [known[name, str(k), variant][measure] for k in range(N_FOLDS)]
                return float(np.mean([float(one) for one in found])) if found[0] else np.nan

            factor = 100.0 if task == "classification" else 1.0
            gains = [factor * (mean(after, "score") - mean(before, "score"))]
            gains += [mean(after, one) - mean(before, one) for one in ("log_loss", "pr_auc")]
            gains += [mean(after, one) / mean(before, one) for one in ("fit", "predict")]
            gains += [factor * (mean(one, "promised") - mean(one, "score")) for one in (before, after)]
            rows.append(gains)
            print(
                f"| {name} | {factor * mean(before, 'score'):.3f} | "
                + " | ".join(f"{g:+.4f}" for g in gains)
                + " |"
            )
        if rows:
            values = np.array(rows)
            error = (
                values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else values[0] * np.nan
            )
            print(
                f"| mean of {len(rows)} | | "
                + " | ".join(f"{m:+.4f} ± {e:.4f}" for m, e in zip(values.mean(axis=0), error, strict=True))
                + " |"
            )


def promises(n_draws: int) -> None:
    """Print by how much quoted scores exceed the accuracy on 5000 new rows, of simulated sets of 120 rows."""
    print("| simulated set | accuracy | of the blend | promise | promise of the blend |")
    print("|---|---|---|---|---|")
    for flipped in (0.0, 0.2):
        found = []
        for seed in range(n_draws):
            X, y = make_moons(120 + N_ASKED, noise=0.35, random_state=seed)
            X = np.hstack([X, np.random.default_rng(seed).normal(size=(len(y), 3))])
            y = np.where(np.random.default_rng(seed + 1).random(len(y)) < flipped, 1 - y, y)
            models = [TunedSVC(blend=choice).fit(X[:120], y[:120]) for choice in (False, True)]
            true = [model.score(X[120:], y[120:]) for model in models]
            found.append([*true, *(model.best_score_ - one for model, one in zip(models, true, strict=True))])
        mean, error = 100.0 * np.mean(found, axis=0), 100.0 * np.std(found, axis=0, ddof=1) / np.sqrt(n_draws)
        cells = " | ".join(f"{m:.2f} ± {e:.2f}" for m, e in zip(mean, error, strict=True))
        print(f"| moons, {flipped:.0%} of labels flipped | {cells} |")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, default=Path("."), help="folder of the tables")
    parser.add_argument(
        "--out", type=Path, default=Path("out"), help="folder of the file that is gone on with"
    )
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--variants", nargs="+", default=["single", "blend"], choices=list(VARIANTS))
    parser.add_argument("--promises", type=int, metavar="N", help="only simulated sets, so many of a kind")
    options = parser.parse_args()
    if options.promises:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            promises(options.promises)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    options.file = options.out / "blend.csv"
    if not options.file.exists():
        options.file.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    with options.file.open(newline="", encoding="utf-8") as file:
        known = {(row["set"], row["fold"], row["variant"]): row for row in csv.DictReader(file)}
    print("| set | before | score | log-loss | PR AUC | fit × | predict × | promise | promise of the blend |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in options.sets:
        cells(name, options, known)
    table(options.sets, known, options)


if __name__ == "__main__":
    main()
