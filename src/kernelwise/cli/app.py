"""The command ``kernelwise``."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Annotated

import typer

from kernelwise import __version__
from kernelwise.cli.compare import compare
from kernelwise.cli.curves import curves
from kernelwise.cli.detect import detect
from kernelwise.cli.diagnose import diagnose
from kernelwise.cli.explain import explain
from kernelwise.cli.export import export, page
from kernelwise.cli.options import flag
from kernelwise.cli.output import UserError, run, say
from kernelwise.cli.predict import predict
from kernelwise.cli.reproduce import reproduce
from kernelwise.cli.tune import tune

Port = Annotated[int, typer.Option(metavar="INT", min=0, max=65535, help="Port. Default: one that is free.")]
Size = Annotated[float, typer.Option("--most", metavar="MB", min=0.001, help="Largest file that is taken.")]
Browser = Annotated[bool, flag("--browser/--no-browser", "Whether to open the browser.")]

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


def serve(port: Port = 0, most: Size = 100.0, browser: Browser = True) -> None:
    """Open a page in the browser: drop a file, train, predict.

    Only this computer can reach the page, and only with the address that the command prints. Files stay on
    this computer, and are gone when the command ends (Ctrl-C), unless you save them.

    \b
    Example: kernelwise app
    """
    missing = [name for name in ("starlette", "uvicorn", "jinja2") if find_spec(name) is None]
    if missing:
        raise UserError(
            f'The app needs the package {missing[0]}. Install it with pip install "kernelwise[app]".'
        )
    from kernelwise.app.server import serve as listen

    def tell(address: str) -> None:
        say(f"kernelwise is open at {address} until you press Ctrl-C here.")
        if browser:
            webbrowser.open(address)

    try:
        listen(port, int(most * 1e6), tell)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UserError(f"Port {port} cannot be used: {why}. Leave out --port.") from error
    except KeyboardInterrupt:  # which is how it ends
        pass


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
