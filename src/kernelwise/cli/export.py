"""``kernelwise export`` and ``kernelwise page``: a saved model where there is no Python."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelwise.cli import options
from kernelwise.cli.files import check_different, check_writable, write_page
from kernelwise.cli.options import option
from kernelwise.cli.output import UserError, say, session
from kernelwise.cli.predict import ModelFile, asked, check_order, check_task, read_model
from kernelwise.exceptions import IncompatibleError

if TYPE_CHECKING:
    from kernelwise.estimators.tuned import TunedMachine
    from kernelwise.tables import Encoding


Destination = Annotated[
    Path, typer.Argument(metavar="FILE", help="File to write; it must end in .onnx (ONNX) or .c (C source).")
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="HTML", help="File to write.")]
#: How a model is written, by the ending of the file.
WRITERS = {".onnx": "to_onnx", ".c": "to_c"}
Interval = Annotated[
    float | None,
    option("SHARE", "Also write the ends of intervals that contain this share of the true numbers."),
]


def export(
    model_file: ModelFile, file: Destination, interval: Interval = None, quiet: options.Quiet = False
) -> None:
    """Write a model as ONNX or C source, to use it without Python.

    The exported model takes a row of numbers, and the file lists which. It gives the same predictions and
    probabilities as `kernelwise predict`.

    \b
    Example: kernelwise export model.kw model.onnx
    """
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise UserError(f"{file} must end in .onnx for ONNX or in .c for C source.")
    check_writable(file, "FILE")
    check_different(MODEL=model_file, export=file)
    check_order(model_file, file)
    if writer == "to_onnx" and find_spec("onnx") is None:
        raise UserError(
            'A .onnx file needs the package onnx. Install it with pip install "kernelwise[onnx]".'
        )
    model, encoding = read_model(model_file)
    check_task(model_file, encoding.task, {"--interval": interval})
    if interval is not None:
        asked(lambda _, share: model._spreads_within(share), None, interval)
    try:
        getattr(model, writer)(file, **({} if interval is None else {"interval": interval}))
    except IncompatibleError as error:
        raise UserError(_refusal(model_file, model, file)) from error
    session.written.append(file)
    say(f"Saved the model to {file}. {_columns(encoding)}")


def _refusal(model_file: Path, model: TunedMachine, file: Path) -> str:
    """The sentence on why a model cannot be written."""
    from kernelwise.export import has_terms

    if getattr(model, "target_offset_", None) is not None:
        return (
            f"{model_file} was trained with --log-target, which a {file.suffix} file cannot undo. Train the "
            "model again without it, or use `kernelwise predict`."
        )
    if not has_terms(model.kernel_):
        return (
            f"{model_file} has the kernel {model.kernel_.title}, which a {file.suffix} file cannot hold. "
            "Train the model again with `kernelwise tune --kernel auto`, or use `kernelwise predict`."
        )
    return (
        f"{model_file} is too large for a {file.suffix} file. Train the model again with `kernelwise tune "
        "--solver nystroem`, or use `kernelwise predict`."
    )


def _columns(encoding: Encoding) -> str:
    """Sentences on the row that the exported model takes."""
    names = encoding.feature_names
    told = [f"A row has these numbers: {', '.join(map(repr, names))}."]
    if len(names) > 6:
        told = [f"A row has {len(names)} numbers, from {names[0]!r} to {names[-1]!r}, which the file lists."]
    coded = [name for name in names if encoding.has_words and "=" in name]
    if coded:
        told.append(
            f"Numbers with '=' in their names, such as {coded[0]!r}, are 1 for that word and 0 for others."
        )
    if encoding.has_gaps or encoding.fills_gaps:
        told.append("Unlike `kernelwise predict`, the exported model does not fill in missing values.")
    return " ".join(told)


def page(model_file: ModelFile, out: Out, quiet: options.Quiet = False) -> None:
    """Write a model as a page that answers, in one HTML file.

    Anyone can open it and try rows. The page has a form with the columns of the training file. It shows the
    answer, its probability, what speaks for it and what would change it. It needs no network, and sends
    nothing. Training rows that the model keeps (support vectors) can be read in the file.

    \b
    Example: kernelwise page model.kw -o model.html
    """
    check_writable(out, "--out")
    check_different(MODEL=model_file, out=out)
    check_order(model_file, out, "page")
    if find_spec("jinja2") is None:
        raise UserError('A page needs the package jinja2. Install it with pip install "kernelwise[report]".')
    model, _ = read_model(model_file)
    from kernelwise.reports.asking import asked, model_page

    section = asked(model)
    if section.reason:
        raise UserError(f"{model_file} cannot be a page. {section.reason}")
    write_page(out, model_page(model, section))
    say(f"Wrote the model to {out}. {section.about_rows}")
