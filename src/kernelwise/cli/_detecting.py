"""From the options of ``kernelwise detect`` to a fitted detector."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelwise.cli._choices import check_choice
from kernelwise.cli._labels import unusual_labels
from kernelwise.cli._tuning import SOLVERS, check_numbers
from kernelwise.cli.errors import UserError
from kernelwise.cli.samples import Samples, beyond_findings, refusals_in_options
from kernelwise.cli.session import say
from kernelwise.estimators import TunedOneClassSVM
from kernelwise.estimators.tuned_one_class import fit_named
from kernelwise.kernels import KERNELS
from kernelwise.search.one_class.judge import CRITERIA

SCALES: dict[str, str | None] = {
    "robust": "robust",
    "standard": "standard",
    "minmax": "minmax",
    "none": None,
}
SCORES = ("roc_auc", "average_precision")
#: Kernels that are no matrices.
NAMES = [name for name in KERNELS if not name.startswith("precomputed")]


def make_detector(options: dict[str, Any]) -> TunedOneClassSVM:
    """The estimator that the options describe; what cannot be right is refused before a file is read."""
    check_numbers(options)
    share = options["contamination"]
    if share is not None and not 0 < share <= 0.5:
        raise UserError(f"--contamination must be a share above 0 and at most 0.5, got {share:g}.")
    if options["labels"] is None:
        for name in ("outlier", "scoring"):
            if options[name] is not None:
                raise UserError(
                    f"--{name} needs labels. Name their column with --labels, or leave out --{name}."
                )
    if options["scoring"] is not None:
        check_choice("--scoring", options["scoring"], SCORES)
    return TunedOneClassSVM(
        kernel=check_choice("--kernel", options["kernel"], ("auto", *NAMES)),
        contamination=share,
        criterion=check_choice("--criterion", options["criterion"], ("auto", *CRITERIA)),
        scoring=options["scoring"],
        scale=SCALES[check_choice("--scale", options["scale"], SCALES)],
        solver=check_choice("--solver", options["solver"], SOLVERS),
        time_budget=options["time_budget"],
        n_jobs=options["n_jobs"],
        random_state=options["seed"],
    )


def settle(data: Samples, outlier: str | None, source: str) -> None:
    """Turn the labels of a file, if it has any, into those that an estimator takes."""
    if data.y is None:
        return
    data.y, sentence = unusual_labels(np.asarray(data.y, dtype=str), outlier, source)
    data.notes.append(sentence)
    say(sentence)


def detector(machine: TunedOneClassSVM, data: Samples) -> TunedOneClassSVM:
    """Fit; what a fit warns of is among its findings, in words for the command line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with refusals_in_options():
            fit_named(machine, data.rows, data.y, data.names_for_fit, data.encoder)
    for _, text in beyond_findings(machine, caught):
        say(text)
    return machine
