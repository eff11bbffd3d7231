"""``kernelwise page``: a saved model as one HTML file that answers."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kernelwise.cli import options
from kernelwise.cli.files import check_different, check_writable, write_page
from kernelwise.cli.output import UserError, say
from kernelwise.cli.predict import ModelFile, check_order, read_model

Out = Annotated[Path, typer.Option("--out", "-o", metavar="HTML", help="File to write.")]


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
        raise UserError("A page needs the package jinja2. Install it with pip install 'kernelwise[report]'.")
    model, _ = read_model(model_file)
    from kernelwise.reports.asking import asked, model_page

    section = asked(model)
    if section.reason:
        raise UserError(f"{model_file} cannot be a page. {section.reason}")
    write_page(out, model_page(model, section))
    say(f"Wrote the model to {out}. {section.about_rows}")
