"""``kernelwise app``: the command line as a page in the browser."""

from __future__ import annotations

import os
import webbrowser
from importlib.util import find_spec
from typing import Annotated

import typer

from kernelwise.cli.options import flag
from kernelwise.cli.output import UserError, say

Port = Annotated[int, typer.Option(metavar="INT", min=0, max=65535, help="Port. Default: one that is free.")]
Size = Annotated[float, typer.Option("--most", metavar="MB", min=0.001, help="Largest file that is taken.")]
Browser = Annotated[bool, flag("--browser/--no-browser", "Whether to open the browser.")]


def serve(port: Port = 0, most: Size = 100.0, browser: Browser = True) -> None:
    """Open a page in the browser: drop a file, train, predict.

    Only this computer can reach the page, and only with the address that the command prints. Files stay on
    this computer, and are gone when the command ends (Ctrl-C), unless you save them.

    \\b
    Example: kernelwise app
    """
    missing = [name for name in ("starlette", "uvicorn", "jinja2") if find_spec(name) is None]
    if missing:
        raise UserError(
            f"The app needs the package {missing[0]}. Install it with pip install 'kernelwise[app]'."
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
