"""The data sets of the benchmarks, standardised once, with rows and folds in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = 0
Folds = list[tuple[np.ndarray, np.ndarray]]
Table = tuple[np.ndarray, np.ndarray]


class Data(NamedTuple):
    """Standardised samples, labels 0, 1, …, folds, and an RBF parameter that all systems share.

    Row i is in the test part of fold i mod n_folds: liquidSVM takes no folds from outside, but makes these.
    """

    X: np.ndarray
    y: np.ndarray
    folds: Folds
    gamma: float


def _from_file(name: str, n_rows: int | None = None) -> Callable[[], Table]:
    def read() -> Table:
        from kernelwise.datasets import load

        X, y = load(name)
        rows = np.random.default_rng(SEED).permutation(len(y))[:n_rows]
        return X[rows], y[rows]

    return read


def coded_tables(*names: str) -> list[Table]:
    """CSV files that the package has no name for, with features and classes coded as the first one has them.

    There is a 0/1 column for each word of a column of words.
    """
    from kernelwise.datasets.loader import _find_file
    from kernelwise.tables import learn_encoding, read_table

    tables = []
    for name in names:
        path = _find_file(name)
        if path is None:
            raise FileNotFoundError(f"there is no {name}.csv in the folders of KERNELWISE_DATA")
        tables.append(read_table(path))
    encoding = learn_encoding(tables[0]).encoding
    return [(np.asarray(encoding.samples(one)), np.asarray(encoding.labels(one))) for one in tables]


def _from_table(name: str, n_rows: int | None = None) -> Callable[[], Table]:
    def read() -> Table:
        ((X, y),) = coded_tables(name)
        rows = np.random.default_rng(SEED).permutation(len(y))[:n_rows]
        return X[rows], y[rows]

    return read


def synthetic(n_samples: int) -> Table:
    """Two classes in 20 dimensions, 10 of them informative."""
    return make_classification(n_samples, n_features=20, n_informative=10, random_state=SEED)


def noisy(n_samples: int) -> Table:
    """Two classes that overlap, 5 % of the labels random: many support vectors, and many free ones."""
    return make_classification(n_samples, n_features=20, flip_y=0.05, class_sep=0.8, random_state=SEED)


def _flipped(share: float) -> Callable[[], Table]:
    """breast_cancer with this share of its labels flipped."""

    def read() -> Table:
        X, y = load_breast_cancer(return_X_y=True)
        return X, np.where(np.random.default_rng(SEED).random(len(y)) < share, 1 - y, y)

    return read


def _one_against_rest(source: Callable[[], Table], number: int = 0) -> Callable[[], Table]:
    """Two classes: the one of this number in sorted order, and all others."""

    def read() -> Table:
        X, y = source()
        return X, (y == np.unique(y)[number]).astype(int)

    return read


def _medical() -> Table:
    """A table like those of medical measurements: few columns, and two classes that overlap."""
    return make_classification(
        768, 8, n_informative=4, n_redundant=0, class_sep=0.6, flip_y=0.15, weights=[0.65], random_state=SEED
    )


def _good_wine() -> Table:
    """Red wines by eleven measurements: those of grade 6 or more, and the others."""
    X, y = _from_table("wine_quality_red")()
    return X, (y.astype(float) >= 6).astype(int)


def _digits_parity() -> Table:
    X, y = load_digits(return_X_y=True)
    return X, y % 2


TABLES: dict[str, Callable[[], Table]] = {
    "tiny": lambda: synthetic(80),
    "breast_cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "digits_parity": _digits_parity,
    "synthetic_2000": lambda: synthetic(2000),
    "synthetic_5000": lambda: synthetic(5000),
    "synthetic_10000": lambda: synthetic(10_000),
    "synthetic_20000": lambda: synthetic(20_000),
    "noisy_5000": lambda: noisy(5000),
    "noisy_10000": lambda: noisy(10_000),
    "noisy_20000": lambda: noisy(20_000),
    "letter": _from_file("letter_train"),
    "banknote": _from_file("banknote"),
    "heart_statlog": _from_file("heart_statlog"),
    "splice_1000": _from_file("splice", 1000),
    "planning_relax": _from_file("planning_relax"),
    "ilpd": _from_file("ilpd"),
    "waveform_1200": _one_against_rest(_from_file("waveform", 1200)),
    "titanic": _from_file("titanic"),
    "banana_1500": _from_file("banana", 1500),
    "ringnorm_1500": _from_file("ringnorm", 1500),
    "flipped_05": _flipped(0.05),
    "flipped_10": _flipped(0.10),
    "flipped_20": _flipped(0.20),
    "medical": _medical,
    "iris": _from_file("iris"),
    "wine": lambda: load_wine(return_X_y=True),
    "segment_500": _from_file("segment", 500),
    "iris_versicolor": _one_against_rest(_from_file("iris"), 1),
    "vertebral_2c": _from_file("vertebral_2c"),
    "breast_cancer_wisconsin": _from_file("breast_cancer_wisconsin"),
    "breast_cancer_ljubljana": _from_file("breast_cancer_ljubljana"),
    "tic_tac_toe": _from_file("tic_tac_toe"),
    "twonorm_1500": _from_file("twonorm", 1500),
    "phoneme_1500": _from_table("phoneme", 1500),
    "german_credit": _from_table("german_credit"),
    "qsar_biodegradation": _from_table("qsar_biodegradation"),
    "wine_quality_red": _good_wine,
    "steel_plates_1500": _one_against_rest(_from_table("steel_plates_faults", 1500), 6),
    "segment_1500": _one_against_rest(_from_file("segment", 1500), 4),
    "satimage_1500": _one_against_rest(_from_file("satimage_test", 1500), 3),
    "thyroid_1500": _one_against_rest(_from_file("thyroid_test", 1500), 2),
    "usps_1500": _one_against_rest(_from_file("usps_test", 1500), 8),
    "pendigits_1500": _one_against_rest(_from_file("pendigits_test", 1500), 8),
    "letter_1500": _one_against_rest(_from_file("letter_test", 1500), 1),
    "dna_1500": _one_against_rest(_from_file("dna", 1500)),
}
WIDE, NARROW = "_wide", "_narrow"
AS_IT_IS = "noisy_"  # tables of this name are not standardised, and gamma is 1/n_features


def load(name: str, n_folds: int = 10) -> Data:
    """Load one of `TABLES`; gamma is a tenth of scikit-learn's ``"scale"`` with the ending ``_wide``.

    With the ending ``_narrow`` it is ten times as large.

    Raises
    ------
    FileNotFoundError
        When the set is a file that is not to be found.
    """
    X, y = TABLES[name.removesuffix(WIDE).removesuffix(NARROW)]()
    X = np.asarray(X, dtype=np.float64)
    if not name.startswith(AS_IT_IS):
        X = StandardScaler().fit_transform(X)
    gamma = 1.0 / (X.shape[1] * (1.0 if name.startswith(AS_IT_IS) else X.var()))
    if name.endswith(WIDE):
        gamma /= 10
    if name.endswith(NARROW):
        gamma *= 10
    return deal(X, np.unique(y, return_inverse=True)[1], n_folds, gamma)


def deal(X: np.ndarray, y: np.ndarray, n_folds: int, gamma: float) -> Data:
    """Order the rows so that stratified folds come round in turn, like cards that were dealt.

    StratifiedKFold gives the first folds the odd samples, so their sizes are those of the turns.
    """
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=SEED)
    order, everyone = np.empty(len(y), dtype=int), np.arange(len(y))
    folds = []
    for k, (_, test) in enumerate(splitter.split(X, y)):
        turn = everyone[k::n_folds]
        order[turn] = test
        folds.append((np.setdiff1d(everyone, turn), turn))
    return Data(X[order], y[order], folds, gamma)
