"""``kernelwise predict``: the predictions of a saved model for new rows."""

from __future__ import annotations

import csv
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from kernelwise._core.text import amount, count
from kernelwise.cli import options
from kernelwise.cli.files import check_different, check_writable, without_formulas, write_csv
from kernelwise.cli.options import flag, option
from kernelwise.cli.output import UserError, say

ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="Model file that `kernelwise tune` or `detect` saved with --model."),
]
Out = Annotated[Path | None, option("CSV", "Write to this file instead of standard output.")]
Proba = Annotated[bool, flag("--proba", "Add a column with the probability of each class.")]
Keep = Annotated[
    list[str] | None, option("COL,COL", "Columns of FILE to copy in front of the prediction; * for all.")
]
#: Digits of a probability after the point.
DIGITS = 4
WEIGHTED = (
    "The model was trained with class weights, and its probabilities include them: in your rows, a rare "
    "class is less frequent than its probability suggests."
)


def predict(
    model_file: ModelFile,
    file: options.File,
    out: Out = None,
    proba: Proba = False,
    unknown: options.UnknownOption = options.Unknown.ignore,
    keep: Keep = None,
    safe_csv: options.SafeCsv = False,
    header: options.HasHeader = None,
    skip_lines: options.SkipLines = None,
    sheet: options.SheetOption = None,
    decimal: options.DecimalOption = None,
    strict: options.StrictOption = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the target of every row of a file, as CSV.

    The file must have the columns of the training file, with or without the target: the same names, or the
    same order if there are no names. Missing cells, new words and the like are coded as unknown, and listed
    at the end, on standard error. So is the score, if the target is there, and a warning if the rows are
    those of the training file.

    \b
    Example: kernelwise predict model.kw new.csv --proba --keep id --out predictions.csv
    """
    from kernelwise.cli.samples import read_more, rows_of
    from kernelwise.cli.training_rows import caution
    from kernelwise.estimators.unlike import UNLIKE
    from kernelwise.tables import DETECTION

    if str(out) == "-":  # as FILE: the standard stream
        out = None
    check_writable(out, "--out")
    check_different(MODEL=model_file, FILE=file, out=out)
    check_order(model_file, file)
    model, encoding = read_model(model_file)
    if proba and encoding.task == "regression":
        raise UserError(f"{model_file} is a regression model, which has no probabilities. Leave out --proba.")
    table = read_more(file, encoding, header, skip_lines, sheet, decimal)
    names, columns = kept_columns(table, keep)
    told: list[str] = []
    X = rows_of(table, encoding, unknown.value, strict, told)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{UNLIKE}")  # which is told below, with lines
        predictions = model.predict(X)
        answers = _unusual if encoding.task == DETECTION else _classes_or_numbers
        for name, column in answers(model, X, predictions, proba):
            names.append(name)
            columns.append(column)
        if encoding.task != DETECTION and hasattr(model, "training_range_"):
            told.append(model.unlike(X).message(table.line))
        if encoding.task != DETECTION and encoding.has_labels(table):
            told.append(f"Score on the target in the file: {_score(model, encoding, table, X, predictions)}.")
        told.append(caution(model, X, is_detector=encoding.task == DETECTION))
    rows: list[Any] = [names, *zip(*columns, strict=True)]
    rows = list(without_formulas(rows)) if safe_csv else rows
    if out is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        sys.stdout.flush()  # what follows stands below it in a terminal
    else:
        write_csv(out, rows)
        say(f"Wrote {len(rows) - 1} predictions to {out}.")
    for sentence in filter(None, told):
        say(sentence)


def _classes_or_numbers(model: Any, X: Any, predictions: Any, proba: bool) -> Iterator[tuple[str, list[Any]]]:
    """Columns of the answer: predictions, and probabilities if they are asked for."""
    record = model.fit_record_
    if predictions.dtype.kind == "f" and record is not None and not hasattr(model, "classes_"):
        yield "prediction", _rounded(predictions, record)
    else:
        yield "prediction", predictions.tolist()
    if proba:
        for label, column in zip(model.classes_, model.predict_proba(X).T, strict=True):
            yield f"p({label})", [f"{p:.{DIGITS}f}" for p in column]
        if getattr(model, "class_weight", None) is not None:
            say(WEIGHTED)


def _rounded(predictions: Any, record: Any) -> list[float]:
    """Predictions of numbers, rounded far below their typical error on held-out rows."""
    import numpy as np

    error = float(np.sqrt(np.average((record.truth - record.predicted) ** 2, weights=record.weight)))
    digits = 3 - int(np.floor(np.log10(error))) if error > 0 else 15
    return [round(float(one), digits) for one in predictions]


def _unusual(model: Any, X: Any, predictions: Any, proba: bool) -> Iterator[tuple[str, list[Any]]]:
    """Columns of the answer of a model that finds unusual rows, whose scores are part of it."""
    yield "prediction", ["unusual" if sign < 0 else "usual" for sign in predictions]
    yield "score", [f"{score:.6g}" for score in model.score_samples(X)]
    if proba:
        yield "p(unusual)", [f"{p:.{DIGITS}f}" for p in model.outlier_probability(X)]


def kept_columns(table: Any, keep: list[str] | None) -> tuple[list[str], list[list[Any]]]:
    """Names and cells of the columns to copy, as they stand in the file; * means all of them."""
    wanted = options.split_names(keep)
    if wanted == ["*"] and "*" not in (table.names or ()):
        wanted = [] if table.matrix is not None else list(table.names)
    if wanted and table.matrix is not None:
        raise UserError(f"{table.source} is a LIBSVM file, which has no columns to keep. Leave out --keep.")
    places = [table.find(name, "--keep") for name in wanted]
    cells = [["" if cell is None else cell for cell in table.text(place)] for place in places]
    return [table.names[place] for place in places], cells


def _score(model: Any, encoding: Any, table: Any, X: Any, predictions: Any) -> str:
    """The score in words; predictions do not depend on whether there is one."""
    import numpy as np

    from kernelwise.reports.words import score_key
    from kernelwise.tables import TableError

    rows = f"on {len(predictions)} rows"
    try:
        labels = encoding.labels(table, predictions.dtype.kind == "U", getattr(model, "classes_", ()))
    except TableError as error:
        return f"not computed ({error})"
    if encoding.task == "regression":
        rest = labels - predictions
        errors = f"RMSE {amount(np.sqrt(np.mean(rest**2)))}, MAE {amount(np.mean(np.abs(rest)))} {rows}"
        own = (
            ""
            if model.steering_ in (None, "r2")
            else f"{score_key(model)} {model.scorer_(model, X, labels):.4f}, "
        )
        scatter = float(np.sum((labels - labels.mean()) ** 2))
        r2 = f"R² {1.0 - float(np.sum(rest**2)) / scatter:.4f}, " if scatter > 0 else ""
        return f"{own}{r2}{errors}"
    if labels.dtype.kind == "U":  # a stray word makes text of all labels
        predictions = predictions.astype(str)
    accuracy = f"accuracy {np.mean(predictions == labels):.4f} {rows}"
    strange = [label for label in labels.tolist() if str(label) not in set(map(str, model.classes_))]
    if len(strange):
        n_rows = count(len(strange), "row has", "rows have")
        return f"{accuracy}, of which {n_rows} a label that the model does not know (first {strange[0]!r})"
    if model.steering_ in (None, "accuracy"):
        return accuracy
    return f"{score_key(model)} {model.scorer_(model, X, labels):.4f}, {accuracy}"


def check_order(model_file: Path, file: Path, command: str = "predict") -> None:
    """Raise if what stands in the place of the model is none, and say so if the two are exchanged."""
    if not model_file.is_file() or is_model(model_file):
        return
    if file.is_file() and is_model(file):
        raise UserError(f"The model comes first: kernelwise {command} {file} {model_file}")
    raise UserError(
        f"{model_file} is not a kernelwise model, or it is damaged. Give the model first, then the file of "
        "rows; `kernelwise tune FILE --model model.kw` makes a model."
    )


def is_model(path: Path) -> bool:
    """Whether a file looks like a model, whole or not."""
    from kernelwise.persistence import DOCUMENT

    try:
        with zipfile.ZipFile(path) as archive:
            return DOCUMENT in archive.namelist()
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return False


def read_model(path: Path) -> tuple[Any, Any]:
    """A model, and how files become its rows."""
    from kernelwise.persistence import load_with_notes
    from kernelwise.tables import Encoding

    model, notes = load_with_notes(path)
    if not notes or "encoding" not in notes:
        raise UserError(
            f"{path} was not saved by `kernelwise tune`, so it does not tell how to read a file for it. Load "
            "it in Python with kernelwise.load."
        )
    try:
        return model, Encoding.from_json(notes["encoding"], getattr(model, "encoder_", None))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UserError(
            f"{path} does not tell how to read a file for it: its notes are damaged. Save the model again "
            "with `kernelwise tune FILE --model model.kw`."
        ) from error
