"""The app as a user has it: the command in a process of its own, and its address."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the app needs kernelwise[app]")
pytest.importorskip("uvicorn", reason="the app needs kernelwise[app]")


class Served:
    """A running app, and requests to it as a program may make them."""

    def __init__(self, folder, *options):
        self.folder = folder
        command = [sys.executable, "-m", "kernelwise", "app", "--no-browser", *options]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(folder)},
        )
        line = self.process.stderr.readline()
        self.address = re.search(r"http://\S+/", line).group()

    def ask(self, method, path, body=None, **headers):
        """The code and the JSON of an answer; ``headers`` have _ for -."""
        parts = urlsplit(self.address)
        connection = HTTPConnection(parts.hostname, parts.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, f"{parts.path}{path}", body, named)
        response = connection.getresponse()
        raw = response.read()
        connection.close()
        self.headers = dict(response.getheaders())
        return response.status, json.loads(raw) if "json" in self.headers.get("content-type", "") else raw

    def drop(self, name, data, path="table"):
        """A file as the page sends it."""
        code, told = self.ask("PUT", f"{path}?name={quote(name)}", data)
        self.number = told.get("table")
        return code, told

    def wait(self):
        """The end of the running command."""
        while (run := self.ask("GET", "run")[1])["state"] == "running":
            time.sleep(0.05)
        return run

    def end(self, by=signal.SIGINT):
        """Stop the app, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        self.process.stderr.close()
        return self.process.wait(60)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """An app for all tests of a file; which file or model it has, the tests before decide."""
    app = Served(tmp_path_factory.mktemp("served"))
    yield app
    app.end()


@pytest.fixture
def fresh(tmp_path):
    """An app that was just started."""
    app = Served(tmp_path)
    yield app
    app.end()


def table(n_rows=60, seed=0, **columns):
    """A CSV file of two classes that the first column tells."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows)
    named = {"size": size.round(3), "noise": rng.normal(size=n_rows).round(3), **columns}
    named["kind"] = np.where(size + 0.3 * rng.normal(size=n_rows) > 0, "large", "small")
    lines = [",".join(named), *(",".join(map(str, row)) for row in zip(*named.values(), strict=True))]
    return "\n".join(lines).encode()
