"""The server of the app: for one browser on this computer, which knows a token, and for nobody else."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import secrets
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import uvicorn
from sklearn.base import is_outlier_detector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route

from kernelwise.app.columns import columns_of
from kernelwise.app.commands import BusyError, Commands
from kernelwise.persistence import load_with_notes
from kernelwise.tables import TableError

HOST = "127.0.0.1"
#: Scripts, styles and requests of the page are its own; the report in it has its own policy, and no origin.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: A report may be shown in the page, but can reach nothing of it.
POLICY_OF_REPORT = "sandbox allow-scripts; frame-ancestors 'self'"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: Names, files and kinds of what the page consists of; its colours and letters are those of reports.
PAGE = {
    "": ("app/page/index.html", "text/html"),
    "app.js": ("app/page/app.js", "text/javascript"),
    "app.css": ("app/page/app.css", "text/css"),
    "common.css": ("reports/static/common.css", "text/css"),
}
#: What a user may take away, or look at.
MODEL, REPORT, PREDICTIONS = "model.kw", "report.html", "predictions.csv"
#: Folders of what is dropped, in which commands run, so that their sentences name files as the user does.
TABLE, ROWS = "table", "rows"
WRITTEN = {MODEL: TABLE, REPORT: TABLE, PREDICTIONS: ROWS}
#: Predictions that the page shows.
N_SHOWN = 20
#: Choices of one column.
ROLES = ("target", "group", "time")
#: Choices of a list, and the values of their options.
LEVELS = {
    "task": {name: name for name in ("classification", "regression")},
    "effort": {name: name for name in ("fast", "normal", "best")},
}


class App:
    """One visit: a folder that is gone in the end, and the commands that run in it.

    Parameters
    ----------
    folder : Path
        Of uploads and results.
    most_bytes : int
        Of a file that is dropped.
    end : callable
        What ends the server.
    """

    def __init__(self, folder: Path, most_bytes: int, end: Callable[[], None]) -> None:
        self.folder, self.most_bytes, self.end = folder, most_bytes, end
        self.commands = Commands()
        self.table: Path | None = None
        self.n_tables = 0
        self.names: list[str] = []

    def routes(self) -> list[Route]:
        """All that can be asked for."""
        return [
            *(Route(f"/{name}", self._page(*page)) for name, page in PAGE.items()),
            Route("/table", self.take_table, methods=["PUT"]),
            Route("/tune", self.tune, methods=["POST"]),
            Route("/rows", self.predict, methods=["PUT"]),
            Route("/run", self.show_run),
            Route("/stop", self.stop, methods=["POST"]),
            Route("/end", self.stop_all, methods=["POST"]),
            Route("/files/{name}", self.take_away),
        ]

    @staticmethod
    def _page(path: str, kind: str) -> Callable[[Request], Response]:
        text = files("kernelwise").joinpath(path).read_text("utf-8")
        return lambda request: Response(text, media_type=kind, headers={"Content-Security-Policy": POLICY})

    async def take_table(self, request: Request) -> Response:
        """Keep a training file, and tell its columns, or a model that was saved, and tell its target."""
        path = await self._upload(request, TABLE)
        self.table = None  # which the new one has taken the place of
        number = self.n_tables = self.n_tables + 1
        if path.suffix.lower() == Path(MODEL).suffix:
            return await self._open(path)
        try:
            told = await run_in_threadpool(columns_of, path)
        except (TableError, OSError, MemoryError) as error:
            return _refused(str(error).replace(str(path), path.name))
        told["notes"] = [note.replace(str(path), path.name) for note in told["notes"]]
        if number == self.n_tables:  # else it was replaced while it was read
            self.table, self.names = path, [column["name"] for column in told["columns"]]
        return JSONResponse({"name": path.name, "table": number, **told})

    async def _open(self, path: Path) -> Response:
        """Take a saved model in the place of one that was trained here."""
        try:
            model, notes = await run_in_threadpool(load_with_notes, path)
        except (ValueError, OSError, MemoryError) as error:
            return _refused(str(error).replace(str(path), path.name))
        if "encoding" not in (notes or {}):
            return _refused(f"{path.name} was saved in Python, and does not tell how to read a file for it.")
        path.rename(path.parent / MODEL)
        target = getattr(model, "target_name_", None)
        what = "finds unusual rows" if target is None else f"predicts {target!r}"
        return JSONResponse({"model": f"{path.name} {what}."})

    async def tune(self, request: Request) -> Response:
        """Start the training of a model."""
        if self.table is None:
            return _refused("There is no table yet. Drop a file first.")
        options = options_of(await request.body(), self.names)
        # Places of columns mean the table that the page shows.
        if request.query_params.get("table") != str(self.n_tables):
            return _refused("Another table was dropped since, in another window. Drop yours again.", 409)
        # A journal belongs to one table and its options: what was stopped goes on where it was.
        journal = f"{hashlib.sha256(json.dumps(options).encode()).hexdigest()[:8]}.journal"
        written = ["--model", MODEL, "--report", REPORT, "--journal", journal, "--verbose"]
        command = ("tune", self.table.name, *options, *written)
        run = await self.commands.start(self.table.parent, *command)
        for name, kind in WRITTEN.items():  # of the run before
            (self.folder / kind / name).unlink(missing_ok=True)
        return JSONResponse(run.as_json())

    async def predict(self, request: Request) -> Response:
        """Predict the rows of a file, and wait for the predictions."""
        model = self.folder / TABLE / MODEL
        if not model.exists():
            return _refused("There is no model yet. Train one first.")
        path = await self._upload(request, ROWS)
        fitted, _ = await run_in_threadpool(load_with_notes, model)
        has_probabilities = hasattr(fitted, "classes_") or is_outlier_detector(fitted)
        options = ["--keep=*", "--safe-csv", *(["--proba"] if has_probabilities else [])]
        command = ("predict", str(model), path.name, *options, "--out", PREDICTIONS)
        await self.commands.start(path.parent, *command)
        run = await self.commands.end()
        assert run is not None
        told = run.as_json()
        if run.state == "done":
            with (path.parent / PREDICTIONS).open(encoding="utf-8", newline="") as handle:
                told["first"] = list(islice(csv.reader(handle), N_SHOWN + 1))
            # Columns of the file come before, one of which may be called so, too.
            told["kept"] = len(told["first"][0]) - 1 - told["first"][0][::-1].index("prediction")
        return JSONResponse(told)

    async def show_run(self, request: Request) -> Response:
        """The command that runs, or ran last."""
        run = self.commands.run
        return JSONResponse(None if run is None else run.as_json())

    async def stop(self, request: Request) -> Response:
        """Stop the running command."""
        await self.commands.stop()
        return await self.show_run(request)

    async def stop_all(self, request: Request) -> Response:
        """Stop the running command, and the server."""
        await self.commands.stop()
        self.end()
        return JSONResponse({})

    async def take_away(self, request: Request) -> Response:
        """A file that a command has written."""
        name = request.path_params["name"]
        path = self.folder / WRITTEN.get(name, "") / name
        if name not in WRITTEN or not path.exists():
            raise HTTPException(404)
        if name == REPORT and "keep" not in request.query_params:
            return FileResponse(path, headers={"Content-Security-Policy": POLICY_OF_REPORT})
        return FileResponse(path, filename=name)

    async def _upload(self, request: Request, kind: str) -> Path:
        """The body of a request as a file, in a folder of its kind, where nothing else is."""
        self.commands.check_free()
        name = file_name(request.query_params.get("name", ""))
        limit = f"The file is larger than {self.most_bytes / 1e6:g} MB. Use `kernelwise tune` in a terminal."
        if int(request.headers.get("content-length") or 0) > self.most_bytes:
            raise HTTPException(413, limit)
        folder = self.folder / kind
        folder.mkdir(exist_ok=True)
        part, size = folder / f".{secrets.token_hex(8)}", 0
        try:
            with part.open("wb") as handle:
                async for block in request.stream():
                    size += len(block)
                    if size > self.most_bytes:
                        raise HTTPException(413, limit)
                    handle.write(block)
            self.commands.check_free()  # again: what one has started since needs the files
            for old in folder.glob("[!.]*"):
                old.unlink()
            return part.rename(folder / name)
        finally:
            part.unlink(missing_ok=True)


def file_name(name: str) -> str:
    """A name that is safe in any folder and on any command line; its ending tells the kind of file.

    A letter is of up to four bytes, and a name of less than 256; capitals make no other name on some disks.
    """
    plain = re.sub(r"[^\w.-]+", "_", name.replace("\\", "/").rpartition("/")[2])[-60:].lstrip(".-")
    is_ours = plain.lower() in WRITTEN or plain.lower().endswith(".journal")
    return f"my_{plain}" if is_ours else plain or "table.csv"


def options_of(body: bytes | str, names: list[str]) -> list[str]:
    """The choices of the page, JSON with the places of columns, as options of `kernelwise tune`."""
    try:
        chosen = dict(json.loads(body))
        if unknown := set(chosen) - {*LEVELS, *ROLES, "ignore", "use"}:
            raise KeyError(unknown)
        options = [f"--{name}={LEVELS[name][chosen[name]]}" for name in LEVELS if chosen.get(name)]
        places = [(name, chosen[name]) for name in ROLES if chosen.get(name) is not None]
        places += [(name, place) for name in ("ignore", "use") for place in chosen.get(name) or ()]
        options += [f"--{name}={_typed(names, place)}" for name, place in places]
    except (TypeError, ValueError, KeyError, IndexError, RecursionError) as error:
        raise HTTPException(
            400, "The page asks for what this version does not have. Load it again."
        ) from error
    return options


def _typed(names: list[str], place: int) -> str:
    """A column as an option takes it: its name, or its number if a comma or a space would be misread.

    A number that is a name, too, is written in another way: with its sign, or from the end.
    """
    name = names[range(len(names))[place]]
    is_plain = name == name.strip() and name and "," not in name and names.count(name) == 1
    numbers = (str(place + 1), f"+{place + 1}", str(place - len(names)))
    return name if is_plain else next((number for number in numbers if number not in names), name)


def _refused(sentence: str, code: int = 400) -> Response:
    return JSONResponse({"error": sentence}, code)


class OnlyHere(BaseHTTPMiddleware):
    """Lets in what comes from the page itself: of a browser, no request of another origin."""

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
        is_own = origin in (None, f"http://{request.headers.get('host')}")
        if not is_own or site not in ("none", "same-origin"):
            return _refused("Only the page of this app may ask this.", 403)
        response = await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


async def _tell(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.detail, error.status_code)


async def _tell_nobody(request: Request, error: Exception) -> Response:
    return _refused("The page was closed before all of the file had come.")


async def _tell_busy(request: Request, error: Exception) -> Response:
    return _refused(str(error), 409)


def make_app(token: str, folder: Path, most_bytes: int, end: Callable[[], None] = lambda: None) -> Starlette:
    """The app behind the path of its token; every other path is refused."""
    app = App(folder, most_bytes, end)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await app.commands.stop()

    return Starlette(
        routes=[Mount(f"/{token}", routes=app.routes())],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"], www_redirect=False),
            Middleware(OnlyHere),
        ],
        exception_handlers={HTTPException: _tell, BusyError: _tell_busy, ClientDisconnect: _tell_nobody},
        lifespan=lifespan,
    )


def serve(port: int, most_bytes: int, tell: Callable[[str], None]) -> None:
    """Serve the app on this computer until it is ended; ``tell`` is given its address."""
    token = secrets.token_urlsafe(24)
    with (
        tempfile.TemporaryDirectory(prefix="kernelwise-") as folder,
        socket.create_server((HOST, port)) as listening,
    ):
        server: uvicorn.Server

        def end() -> None:
            server.should_exit = True

        app = make_app(token, Path(folder), most_bytes, end)
        config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        _end_by_signals()
        tell(f"http://{HOST}:{listening.getsockname()[1]}/{token}/")
        server.run(sockets=[listening])


def _end_by_signals() -> None:
    """Let the end of a terminal, or of the computer, end the server as Ctrl-C does: with its folder removed.

    uvicorn itself takes SIGINT and SIGTERM, and raises them again after it has ended.
    """

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
