"""``kernelwise explain``: which columns made the predictions of a saved model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kernelwise._core.text import count
from kernelwise.cli import options
from kernelwise.cli.files import check_different, check_writable, write_csv
from kernelwise.cli.options import option
from kernelwise.cli.output import UserError, print_json, print_line, print_table, say
from kernelwise.cli.predict import ModelFile, check_order, read_model

if TYPE_CHECKING:
    import numpy as np

    from kernelwise.estimators.tuned import TunedMachine
    from kernelwise.explanation import Explanation


Rows = Annotated[int | None, option("N", "Explain only the first N rows. Default: all rows.")]
Out = Annotated[Path | None, option("CSV", "Write the values of every row to this file.")]
Background = Annotated[
    Path | None,
    option("FILE", "File of rows to compare with. Default: support vectors of the model."),
]
Output = Annotated[
    str | None,
    option(
        "NAME", "What to explain: decision, machine-values, probability-log-odds, prediction or log-width."
    ),
]
#: What an output is called in a sentence.
OUTPUTS = {
    "decision": "the decision value",
    "machine-values": "the value before probabilities",
    "probability-log-odds": "the logarithm of the odds",
    "prediction": "the prediction (in units of the target)",
    "log-width": "the logarithm of the width of intervals",
}
#: Columns that are printed.
MOST_COLUMNS = 15


@options.with_groups
def explain(
    *,
    model_file: ModelFile,
    file: options.File,
    rows: Rows = None,
    out: Out = None,
    background: Background = None,
    output: Output = None,
    unknown: options.UnknownOption = options.Unknown.ignore,
    header: options.HasHeader = None,
    skip_lines: options.SkipLines = None,
    sheet: options.SheetOption = None,
    decimal: options.DecimalOption = None,
    printing: options.Printing,
) -> None:
    """Show how much every column contributed to the predictions.

    The values are Shapley values: those of a row add up to the output of the model minus a base value. A
    value is the change against the rows of --background FILE, such as the training file. Without it, a value
    is the change against training rows that the model keeps (at most 100 support vectors). The values are
    exact for most kernels; the output says where they are estimates.

    \b
    Example: kernelwise explain model.kw new.csv --rows 5 --background train.csv --out values.csv
    """
    from kernelwise.cli.samples import read_more, rows_of
    from kernelwise.explanation import explain as explain_rows
    from kernelwise.explanation.reader import SUPPORT

    if rows is not None and rows < 1:
        raise UserError(f"--rows must be at least 1, got {rows}.")
    check_writable(out, "--out")
    check_different(MODEL=model_file, FILE=file, BACKGROUND=background, out=out)
    check_order(model_file, file, "explain")
    model, encoding = read_model(model_file)
    _check_output(model, output)
    table = read_more(file, encoding, header, skip_lines, sheet, decimal)
    X, lines = rows_of(table, encoding, unknown.value), table.lines
    n = len(lines) if rows is None else min(rows, len(lines))
    if rows is not None and rows > n:
        say(f"{file} has only {count(n, 'row')}, which are all explained.")
    B: Any = SUPPORT
    if background is not None:
        B = rows_of(read_more(background, encoding, header), encoding, unknown.value)
    found = explain_rows(model, X[:n], background=B, output=output)
    if out is not None:
        _write(out, found, lines[:n])
    if printing.json:
        print_json(_as_json(found, file, lines[:n]))
        return
    if out is not None:
        say(f"Wrote the values of {count(n, 'row')} to {out}.")
    if getattr(model, "target_offset_", None) is not None and found.output == "prediction":
        found = replace(found, output="the logarithm of the prediction")
    is_blend = bool(getattr(model.result_, "members", ()))
    _print(found, list(getattr(model, "classes_", ())), background is None, is_blend, out)


def _check_output(model: TunedMachine, output: str | None) -> None:
    from kernelwise.explanation.reader import choices_of

    if output is not None:
        options.check_choice("--output", output, choices_of(model))


def _write(path: Path, found: Explanation, lines: np.ndarray) -> None:
    """One line for each row, and for each class of several: the base value, the columns, the output."""
    names = ["class"] if found.output_names else []
    rows: list[list[Any]] = [["line", *names, "base value", *found.feature_names, found.output]]
    for k, line in enumerate(lines):
        for label, part in _parts(found[k]):
            numbers = [part.base_values[0], *part.values[0], part.base_values[0] + part.values[0].sum()]
            rows.append([int(line), *label, *(repr(float(value)) for value in numbers)])
    write_csv(path, rows)


def _parts(found: Explanation) -> list[tuple[list[str], Explanation]]:
    """The outputs one by one, each with its name in a list, which is empty for one output."""
    if not found.output_names:
        return [([], found)]
    return [([name], found.of_output(k)) for k, name in enumerate(found.output_names)]


def _print(found: Explanation, classes: list[Any], is_own: bool, is_blend: bool, out: Path | None) -> None:
    """The mean of |value| of every column, the largest first; ``classes`` are those of a classifier."""
    import numpy as np

    importance = found.importance().reshape(len(found.feature_names), -1)
    order = np.argsort(-importance.mean(axis=1), kind="stable")
    heads = [f"mean |value|, {name}" for name in found.output_names] or ["mean |value|"]
    shown = order[:MOST_COLUMNS]
    table = [[found.feature_names[k], *(f"{value:.4g}" for value in importance[k])] for k in shown]
    if found.relevance is not None:
        heads.append("learned weight")
        table = [[*row, f"{found.relevance[k]:.4g}"] for row, k in zip(table, shown, strict=True)]
    print_table(table, ["column", *heads])
    if len(order) > MOST_COLUMNS:
        print_line(f"and {count(len(order) - MOST_COLUMNS, 'more column')}")
    for sentence in _legend(found, classes, is_own, is_blend, out):
        print_line(sentence)


def _legend(
    found: Explanation, classes: list[Any], is_own: bool, is_blend: bool, out: Path | None
) -> list[str]:
    """Sentences on the columns of the table; ``is_own`` if the background came with the model."""
    rows = "the row" if len(found) == 1 else f"{len(found)} rows"
    named = "this row" if len(found) == 1 else "every row"
    name = OUTPUTS.get(found.output, found.output)
    sentences = [f"mean |value| is how far the column moves {name}, up or down, on average over {rows}."]
    if found.output == "log-width":
        sentences.append(
            "A value of 0.1 makes the interval about 10 % wider: widths are multiplied by exp(value). 'the "
            "prediction' is what the width owes to the size of the predicted number."
        )
    if len(classes) == 2:
        second = str(classes[1])
        sentences.append(f"The larger {name} is, the more the model tends to answer {second!r}.")
    if found.relevance is not None:
        kernel = "the kernel of the best setting alone" if is_blend else "the kernel"
        sentences.append(
            f"learned weight is how much the column counts in {kernel}; the weights of all columns sum to 1."
        )
    if is_own:
        sentences.append(
            "A value is the change against training rows that the model keeps (support vectors). To compare "
            "with other rows, such as the whole training file, use --background FILE."
        )
    if out is None:
        sentences.append(f"To get the values of {named}, with their signs, use --out FILE.")
    return sentences


def _as_json(found: Explanation, file: Path, lines: np.ndarray) -> dict[str, Any]:
    import kernelwise

    about = {"command": "explain", "version": kernelwise.__version__, "file": str(file)}
    what = {"output": found.output, "value_function": found.value_function, "is_exact": found.is_exact}
    names = {"columns": found.feature_names, "classes": found.output_names}
    numbers = {
        "lines": [int(line) for line in lines],
        "base_values": found.base_values,
        "values": found.values,
        "standard_errors": found.standard_errors,
        "importance": found.importance(),
        "relevance": found.relevance,
    }
    return {**about, **what, **names, **numbers}
