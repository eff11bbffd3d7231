"""The command ``kernelwise``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from kernelwise import __version__
from kernelwise.cli.compare import compare
from kernelwise.cli.curves import curves
from kernelwise.cli.detect import detect
from kernelwise.cli.diagnose import diagnose
from kernelwise.cli.explain import explain
from kernelwise.cli.export import export
from kernelwise.cli.output import run
from kernelwise.cli.page import page
from kernelwise.cli.predict import predict
from kernelwise.cli.reproduce import reproduce
from kernelwise.cli.serve import serve
from kernelwise.cli.tune import tune

app = typer.Typer(
    name="kernelwise",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help is the same on a terminal and in a file
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def demo() -> None:
    """Tune a model on half of a data set and test it on the rest.

    \b
    Example: kernelwise demo
    """
    from kernelwise.demo import main

    main()


COMMANDS = (tune, predict, detect, explain, export, page, diagnose, compare, curves, reproduce, demo)
for command in COMMANDS:
    app.command()(command)
app.command("app")(serve)


def _version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"kernelwise {__version__}")
        raise typer.Exit()


@app.callback()
def kernelwise(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Train a support vector machine on a table. kernelwise chooses its settings and explains the choice.

    kernelwise reads CSV, TSV, Parquet and LIBSVM files, gzipped or not, and workbooks (.xlsx, .ods).

    \b
    Example:
      kernelwise tune train.csv test.csv --target class --model model.kw
      kernelwise predict model.kw new.csv --out predictions.csv
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 1 for an error of kernelwise, 2 for one of the user, 130 after Ctrl-C."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return run(lambda: app(arguments, prog_name="kernelwise", standalone_mode=False), arguments)
