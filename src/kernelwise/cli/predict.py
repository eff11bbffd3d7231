"""``kernelwise predict``: the predictions of a saved model for new rows."""

from __future__ import annotations

import csv
import sys
import warnings
import zipfile
from collections.abc import Iterator
from functools import partial
from itertools import compress
from math import ceil
from pathlib import Path
from typing import Annotated, Any

import typer

from kernelwise._core.text import amount, count
from kernelwise.cli import options
from kernelwise.cli.files import (
    Unwritten,
    check_different,
    check_report,
    check_writable,
    without_formulas,
    write_csv,
    write_page,
)
from kernelwise.cli.options import flag, option
from kernelwise.cli.output import UserError, say, session

ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="Model file that `kernelwise tune` or `detect` saved with --model."),
]
Out = Annotated[Path | None, option("CSV", "Write to this file instead of standard output.")]
Proba = Annotated[bool, flag("--proba", "Add a column with the probability of each class.")]
Interval = Annotated[
    float | None,
    option("SHARE", "Add columns with the ends of intervals that contain this share of the true numbers."),
]
Sets = Annotated[
    float | None,
    option("SHARE", "Add a column with the classes among which the true one is, for this share of rows."),
]
ReportFile = Annotated[
    Path | None, option("HTML", "Write a page on the predictions to this file.", "--report")
]
ByClass = Annotated[bool, flag("--by-class", "Let --sets hold for that share of the rows of every class.")]
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
    interval: Interval = None,
    sets: Sets = None,
    by_class: ByClass = False,
    fdr: options.Fdr = None,
    unknown: options.UnknownOption = options.Unknown.ignore,
    keep: Keep = None,
    report_file: ReportFile = None,
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
    at the end, on standard error. So is the score of rows that have a target, and a warning if the rows are
    those of the training file. The page of --report shows how the predictions are spread, the most and least
    sure rows and those unlike the training rows; it can be asked about each, and holds training rows.

    \b
    Example: kernelwise predict model.kw new.csv --proba --keep id --out predictions.csv
    """
    import numpy as np

    from kernelwise.cli.samples import read_more, rows_of
    from kernelwise.cli.training_rows import caution
    from kernelwise.estimators.unlike import UNLIKE
    from kernelwise.tables import DETECTION

    if str(out) == "-":  # as FILE: the standard stream
        out = None
    check_writable(out, "--out")
    check_report(report_file)
    check_different(MODEL=model_file, FILE=file, out=out, report=report_file)
    check_order(model_file, file)
    model, encoding = read_model(model_file)
    if proba and encoding.task == "regression":
        raise UserError(f"{model_file} is a regression model, which has no probabilities. Leave out --proba.")
    check_task(model_file, encoding.task, {"--interval": interval, "--sets": sets, "--fdr": fdr})
    if by_class and sets is None:
        raise UserError("--by-class says whom --sets holds for. Give --sets with a share, too, such as 0.9.")
    table = read_more(file, encoding, header, skip_lines, sheet, decimal)
    names, columns = kept_columns(table, keep)
    told: list[str] = []
    X = rows_of(table, encoding, unknown.value, strict, told)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{UNLIKE}")  # which is told below, with lines
        predictions = model.predict(X)
        if encoding.task == DETECTION:
            answers = _unusual(model, X, predictions, proba, fdr)
        else:
            answers = _classes_or_numbers(model, X, predictions, proba, interval, sets, by_class)
        for name, column in answers:
            names.append(name)
            columns.append(column)
        if encoding.task != DETECTION and hasattr(model, "training_range_"):
            told.append(model.unlike(X).message(table.line))
        labelled = encoding.labelled(table, [])
        if encoding.task != DETECTION and encoding.has_labels(labelled):
            score = _score(model, encoding, labelled, X, predictions, np.isin(table.lines, labelled.lines))
            told.append(f"Score on the target in the file: {score}.")
        told.append(caution(model, X, is_detector=encoding.task == DETECTION))
    unwritten = Unwritten()
    rows: list[Any] = [names, *zip(*columns, strict=True)]
    rows = list(without_formulas(rows)) if safe_csv else rows
    if out is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        sys.stdout.flush()  # what follows stands below it in a terminal
    else:
        unwritten.write(out, lambda path: write_csv(path, rows))
        if out in session.written:
            say(f"Wrote {count(len(rows) - 1, 'prediction')} to {out}.")
    if report_file is not None:
        from kernelwise.reports import predictions_page

        page = predictions_page(model, X, table.line, str(file), sets if interval is None else interval)
        unwritten.write(report_file, lambda path: write_page(path, page))
        if report_file in session.written:
            say(f"Wrote a page on the predictions to {report_file}.")
    for sentence in filter(None, told):
        say(sentence)
    unwritten.tell()


#: What models an option is for.
TASKS = {"--interval": "regression", "--sets": "classification", "--fdr": "detection"}
#: What stands between the classes of a set.
BETWEEN = "|"


def check_task(model_file: Path, task: str, shares: dict[str, float | None]) -> None:
    """Raise if an option is for other models, or its share is none."""
    for name, share in shares.items():
        if share is not None and task != TASKS[name]:
            raise UserError(f"{name} is for {TASKS[name]} models, and {model_file} is a {task} model.")
        options.check_share(share, name)


def _classes_or_numbers(
    model: Any,
    X: Any,
    predictions: Any,
    proba: bool,
    interval: float | None,
    sets: float | None,
    by_class: bool,
) -> Iterator[tuple[str, list[Any]]]:
    """Columns of the answer: predictions, and probabilities, intervals or sets if they are asked for."""
    record = model.fit_record_
    if predictions.ndim == 2:
        error = _typical_error(record)
        for quantile, column in zip(model.quantile, predictions.T, strict=True):
            yield f"q{quantile:g}", _rounded(model, column, error)
    elif predictions.dtype.kind == "f" and record is not None and not hasattr(model, "classes_"):
        yield "prediction", _rounded(model, predictions, _typical_error(record))
    else:
        yield "prediction", predictions.tolist()
    if proba:
        for label, column in zip(model.classes_, model.predict_proba(X).T, strict=True):
            yield f"p({label})", [f"{p:.{DIGITS}f}" for p in column]
        if getattr(model, "class_weight", None) is not None:
            say(WEIGHTED)
    if interval is not None:
        lower, upper = asked(model.predict_interval, X, interval).T
        yield "lower", _rounded(model, lower, upper - lower)
        yield "upper", _rounded(model, upper, upper - lower)
    if sets is not None:
        labels = [_in_set(str(label)) for label in model.classes_.tolist()]
        found = asked(partial(model.predict_set, conditional="class" if by_class else None), X, sets)
        yield "set", [BETWEEN.join(compress(labels, row)) for row in found]
    share = sets if interval is None else interval
    if share is not None:
        what = "number lies between lower and upper" if sets is None else "class is in the set"
        every = ", and of those of every class" if by_class else ""
        whom = f"about {100 * share:g} % of {record.holds_for}{every}"
        n_rows = round(record.weight.sum() / record.own_weight)
        say(f"The true {what} for {whom}. This was found on {n_rows} held-out rows.")


def asked(method: Any, X: Any, share: float) -> Any:
    """What a method answers; a share that it cannot tell is the user's mistake."""
    try:
        return method(X, share)
    except (AttributeError, ValueError) as error:
        raise UserError(str(error)) from error


def _in_set(label: str) -> str:
    """A class of a set, in quotes if it has what stands between two classes."""
    return f'"{label}"' if BETWEEN in label else label


def _typical_error(record: Any) -> float:
    """The root mean square of what predictions of held-out rows are off by."""
    import numpy as np

    predicted = record.predicted.reshape(len(record.truth), -1)  # of several quantiles, the mean of them
    rest = np.abs(record.truth - predicted.mean(axis=1))
    largest = rest.max() or 1.0  # squares of very large or small numbers are none
    return float(largest * np.sqrt(np.average((rest / largest) ** 2, weights=record.weight)))


def _rounded(model: Any, numbers: Any, errors: Any) -> list[float]:
    """Numbers rounded far below their errors, one or (n_rows,); of logarithms, far below themselves, too."""
    import numpy as np

    is_of_logarithms = model._trained_family().offset is not None
    errors = np.broadcast_to(
        np.minimum(errors, np.abs(numbers)) if is_of_logarithms else errors, numbers.shape
    )
    digits = [3 - int(np.floor(np.log10(error))) if error > 0.0 else 300 for error in errors]
    return [round(float(one), place) for one, place in zip(numbers, digits, strict=True)]


def _unusual(
    model: Any, X: Any, predictions: Any, proba: bool, fdr: float | None
) -> Iterator[tuple[str, list[Any]]]:
    """Columns of the answer of a model that finds unusual rows, whose scores are part of it."""
    import numpy as np

    if fdr is not None:
        p = asked(lambda rows, _: model.p_values(rows), X, fdr)
        predictions = np.where(discoveries(p, fdr), -1, 1)
    yield "prediction", ["unusual" if sign < 0 else "usual" for sign in predictions]
    yield "score", [f"{score:.6g}" for score in model.score_samples(X)]
    if proba:
        yield "p(unusual)", [f"{one:.{DIGITS}f}" for one in model.outlier_probability(X)]
    if fdr is not None:
        yield "p-value", [f"{one:.6g}" for one in p]
        say(discovered(p, fdr, int(model._usual_weights.sum())))


def discoveries(p: Any, fdr: float) -> Any:
    """Which rows are called unusual, by their p-values, with false discoveries up to a share (n_rows,)."""
    from scipy.stats import false_discovery_control

    return false_discovery_control(p) <= fdr


def discovered(p: Any, fdr: float, n_usual: int) -> str:
    """What discoveries by the p-values of all rows mean, and why there are none where there could be none.

    No p-value is below 1/(n_usual + 1), and of m rows, k must have one up to k·fdr/m to be called unusual.
    """
    n_found, least = int(discoveries(p, fdr).sum()), 1.0 / (n_usual + 1)
    said = (
        f"{n_found} of {count(len(p), 'row')} called unusual: on average over such files, at most "
        f"{100 * fdr:g} % of the rows that are called so are rows like the usual ones."
    )
    n_least, n_needed = int((p <= 1.001 * least).sum()), ceil(least * len(p) / fdr)
    if n_found or not 0 < n_least < n_needed:
        return said
    return (
        f"{said} {n_least} of them could not be more unusual, but beside {n_usual} usual rows it takes "
        f"{n_needed} such rows to rule out chance: give more usual rows, or a larger share."
    )


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


def _score(model: Any, encoding: Any, labelled: Any, X: Any, predictions: Any, has_label: Any) -> str:
    """The score in words; predictions do not depend on whether there is one.

    ``labelled`` has the rows of X that have a target, which ``has_label`` marks, shape (n_rows,).
    """
    import numpy as np

    from kernelwise.reports.held_out import below_text, shares_below
    from kernelwise.reports.words import quantiles_of, score_key, score_name
    from kernelwise.tables import TableError

    X, predictions, n_rows = X[has_label], predictions[has_label], len(has_label)
    of_all = "" if has_label.all() else f"the {len(predictions)} of "
    rows = f"on {of_all}{count(n_rows, 'row')}{' that have a target' if of_all else ''}"
    try:
        labels = encoding.labels(labelled, predictions.dtype.kind == "U", getattr(model, "classes_", ()))
    except TableError as error:
        return f"not computed ({error})"
    if encoding.task == "regression" and quantiles_of(model):
        told = below_text(shares_below(labels, predictions, quantiles_of(model)))
        return f"{_own_score(score_name(model), model, X, labels)} {rows}; {told}"
    if encoding.task == "regression":
        rest = labels - predictions
        errors = f"RMSE {amount(np.sqrt(np.mean(rest**2)))}, MAE {amount(np.mean(np.abs(rest)))} {rows}"
        own = "" if model.steering_ in (None, "r2") else f"{_own_score(score_key(model), model, X, labels)}, "
        scatter = float(np.sum((labels - labels.mean()) ** 2))
        r2 = f"R² {1.0 - float(np.sum(rest**2)) / scatter:.4f}, " if scatter > 0 else ""
        return f"{own}{r2}{errors}"
    if labels.dtype.kind == "U":  # a stray word makes text of all labels
        predictions = predictions.astype(str)
    accuracy = f"accuracy {np.mean(predictions == labels):.4f} {rows}"
    strange = [label for label in labels.tolist() if str(label) not in set(map(str, model.classes_))]
    if len(strange):
        have = count(len(strange), "row has", "rows have")
        return f"{accuracy}, of which {have} a label that the model does not know (first {strange[0]!r})"
    if model.steering_ in (None, "accuracy"):
        return accuracy
    return f"{_own_score(score_key(model), model, X, labels)}, {accuracy}"


def _own_score(name: str, model: Any, X: Any, labels: Any) -> str:
    """The score that the model was chosen by, behind its name."""
    from kernelwise.reports.answer import score_on

    score = score_on(model, X, labels)
    return f"{name} undefined" if score is None else f"{name} {score:.4f}"


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
