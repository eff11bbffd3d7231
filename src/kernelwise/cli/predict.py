"""``kernelwise predict``: what a saved model says of new samples."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kernelwise.cli import options
from kernelwise.cli.errors import UserError, check_writable
from kernelwise.cli.progress import say

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Written by `kernelwise tune --model`.")]
Out = Annotated[Path | None, typer.Option(metavar="CSV", help="Write to a file, not to standard output.")]
Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")]


def predict(
    model: Model,
    file: options.File,
    out: Out = None,
    proba: Proba = False,
    unknown: options.UnknownOption = options.Unknown.error,
    header: options.HasHeader = None,
) -> None:
    """Predict the target of every row of a file, as CSV.

    The columns must be those of the training file, by name (by place if it had no names), with or without
    the target. If the target is there, the score goes to standard error.

    \b
    Example: kernelwise predict model.kw new.csv --proba --out predictions.csv
    """
    from kernelwise._core.files import whole_file
    from kernelwise.cli.samples import read_more

    check_writable(out, "--out")
    machine, encoding = read_model(model)
    if proba and not hasattr(machine, "predict_proba"):
        raise UserError(f"{model} is a regression, which has no probabilities. Leave --proba out.")
    table = read_more(file, encoding, header)
    notes: list[str] = []
    X = encoding.samples(table, unknown.value, notes)
    for note in notes:
        say(note)
    predictions = machine.predict(X)
    names, columns = ["prediction"], [predictions.tolist()]
    if proba:
        names += [f"p({label})" for label in machine.classes_]
        columns += machine.predict_proba(X).T.tolist()
    if encoding.has_labels(table):
        say(f"The file has the target: {_score(machine, encoding, table, X, predictions)}.")
    rows = [names, *zip(*columns, strict=True)]
    if out is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
    else:
        with whole_file(out, "w", newline="", encoding="utf-8") as handle:
            csv.writer(handle, lineterminator="\n").writerows(rows)
        say(f"{len(rows) - 1} predictions are in {out}.")


def _score(machine: Any, encoding: Any, table: Any, X: Any, predictions: Any) -> str:
    """The score in words; predictions do not depend on whether there is one."""
    import numpy as np

    from kernelwise.tables import TableError

    try:
        if encoding.task == "regression":
            return f"R² {machine.score(X, encoding.labels(table)):.4f}"
        labels = encoding.labels(table, as_text=predictions.dtype.kind == "U")
    except TableError as error:
        return f"but it is none of the model's ({error})"
    if labels.dtype.kind == "U":  # a stray word makes text of all labels
        predictions = predictions.astype(str)
    return f"accuracy {np.mean(predictions == labels):.4f}"


def read_model(path: Path) -> tuple[Any, Any]:
    """A model, and how files become its samples."""
    from kernelwise.persistence.model_file import load_with_notes
    from kernelwise.tables import Encoding

    model, notes = load_with_notes(path)
    if not notes or "encoding" not in notes:
        raise UserError(
            f"{path} was not written by `kernelwise tune`, and does not say how a file becomes its samples. "
            "Use kernelwise.load in Python."
        )
    return model, Encoding.from_json(notes["encoding"])
