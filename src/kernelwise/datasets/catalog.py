"""The data sets `load` knows: their sizes, their official parts and where they come from."""

from __future__ import annotations

import difflib
from typing import NamedTuple

PARTS = ("train", "test")


class Entry(NamedTuple):
    """Size and origin of one data set."""

    n_samples: int
    n_features: int
    n_classes: int
    origin: str


_USPS = "USPS handwritten digits (zip code data of Hastie, Tibshirani, Friedman)"

# One entry per file; the file is <name>.csv or <name>.csv.gz.
FILES = {
    "banana": Entry(5300, 2, 2, "Rätsch/IDA benchmark banana (KEEL copy)"),
    "banknote": Entry(1372, 4, 2, "UCI Banknote Authentication"),
    "breast_cancer_libsvm_scaled": Entry(683, 10, 2, "LIBSVM breast-cancer_scale"),
    "breast_cancer_ljubljana": Entry(277, 9, 2, "UCI Breast Cancer (Ljubljana), rows without a gap"),
    "breast_cancer_wisconsin": Entry(683, 9, 2, "UCI Breast Cancer Wisconsin (Original)"),
    "dna": Entry(3186, 180, 3, "Statlog DNA"),
    "heart_statlog": Entry(270, 13, 2, "UCI Statlog (Heart)"),
    "ilpd": Entry(579, 10, 2, "UCI ILPD (Indian Liver Patient Dataset)"),
    "iris": Entry(150, 4, 3, "UCI Iris, as in Fisher's paper"),
    "letter_test": Entry(4000, 16, 26, "UCI Letter Recognition"),
    "letter_train": Entry(16000, 16, 26, "UCI Letter Recognition"),
    "optdigits_test": Entry(1797, 64, 10, "UCI Optical Recognition of Handwritten Digits"),
    "optdigits_train": Entry(3823, 64, 10, "UCI Optical Recognition of Handwritten Digits"),
    "pendigits_test": Entry(3498, 16, 10, "UCI Pen-Based Recognition of Handwritten Digits"),
    "pendigits_train": Entry(7494, 16, 10, "UCI Pen-Based Recognition of Handwritten Digits"),
    "planning_relax": Entry(182, 12, 2, "UCI Planning Relax"),
    "ringnorm": Entry(7400, 20, 2, "Breiman ringnorm, DELVE/IDA benchmark, standardised"),
    "satimage_test": Entry(2000, 36, 6, "UCI Statlog (Landsat Satellite)"),
    "satimage_train": Entry(4435, 36, 6, "UCI Statlog (Landsat Satellite)"),
    "segment": Entry(2310, 19, 7, "UCI Image Segmentation (Statlog)"),
    "splice": Entry(3175, 60, 2, "UCI Molecular Biology (Splice-junction), DELVE/LIBSVM form"),
    "splice_ida": Entry(2991, 60, 2, "Rätsch/IDA benchmark splice, reconstructed from UCI"),
    "thyroid_test": Entry(3428, 21, 3, "UCI Thyroid Disease (ann-thyroid)"),
    "thyroid_train": Entry(3772, 21, 3, "UCI Thyroid Disease (ann-thyroid)"),
    "tic_tac_toe": Entry(958, 9, 2, "UCI Tic-Tac-Toe Endgame"),
    "titanic": Entry(2201, 3, 2, "Rätsch/IDA benchmark titanic (KEEL copy)"),
    "twonorm": Entry(7400, 20, 2, "Breiman twonorm, DELVE/IDA benchmark (KEEL copy)"),
    "usps_test": Entry(2007, 256, 10, _USPS),
    "usps_train": Entry(7291, 256, 10, _USPS),
    "vertebral_2c": Entry(310, 6, 2, "UCI Vertebral Column (2 classes)"),
    "waveform": Entry(5000, 21, 3, "UCI Waveform Database Generator (Version 1)"),
    "waveform_ida": Entry(5000, 21, 2, "Rätsch/IDA benchmark waveform"),
}

WITH_PARTS = tuple(name.removesuffix("_train") for name in FILES if name.endswith("_train"))


def available() -> dict[str, Entry]:
    """Return the size and origin of every data set that `load` knows, by name.

    A set with official parts is listed as a whole (``"letter"``) and by part (``"letter_train"`` and
    ``"letter_test"``).

    Examples
    --------
    >>> from kernelwise.datasets import available
    >>> available()["letter"].n_samples
    20000
    """
    wholes = {}
    for name in WITH_PARTS:
        train, test = (FILES[f"{name}_{part}"] for part in PARTS)
        wholes[name] = train._replace(n_samples=train.n_samples + test.n_samples)
    return dict(sorted((FILES | wholes).items()))


def resolve(name: str, part: str | None) -> list[str]:
    """Return the names of the files that make up a data set, or raise with what could have been meant."""
    known = available()
    if name not in known:
        close = difflib.get_close_matches(str(name), known, n=4)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ValueError(
            f"There is no data set {name!r}; {hint}kernelwise.datasets.available() lists all names."
        )
    if part is not None and part not in PARTS:
        raise ValueError(f"'part' of load must be 'train', 'test' or None, got {part!r}.")
    if name in WITH_PARTS:
        return [f"{name}_{p}" for p in PARTS if part in (None, p)]
    if part is not None:
        raise ValueError(
            f"Data set {name!r} has no parts to choose from, so part={part!r} cannot be given; "
            f"sets with official parts are {', '.join(WITH_PARTS)}."
        )
    return [name]
