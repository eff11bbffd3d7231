"""Commands of the app, each a run of the command line in a process of its own, one at a time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: The exit code of the command line where the user has to change something.
USERS_MISTAKE = 2
#: What stops a command as Ctrl-C does; on Windows only a whole group of processes gets that.
INTERRUPT = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
#: Lines of progress that the page gets, at most: the last ones.
MOST_LINES = 200
#: Seconds that a process has to end after it was asked to.
PATIENCE = 10.0


class BusyError(RuntimeError):
    """Error: a command is running already."""


@dataclass
class Run:
    """A run of one command: what it says while it runs, what it printed, and how it ended.

    ``state`` is "running", "done", "stopped", "refused" (the user has to change something) or "failed".
    """

    command: str
    state: str = "running"
    said: list[str] = field(default_factory=list)
    printed: str = ""
    is_stopped: bool = False

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        said = self.said[-MOST_LINES:]
        return {"command": self.command, "state": self.state, "said": said, "printed": self.printed}


class Commands:
    """The command line: never two commands at once."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a command is running."""
        return self.run is not None and self.run.state == "running"

    def check_free(self) -> None:
        """Raise a BusyError if a command is running."""
        if self.is_busy:
            raise BusyError("A command is running already. Wait for its end, or stop it.")

    async def start(self, folder: Path, command: str, *arguments: str) -> Run:
        """Start a command in a folder, and return at once; `end` waits for it."""
        self.check_free()
        # Before anything is awaited: a second request must find it busy.
        run = self.run = Run(command)
        self._process = self._ending = None
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "kernelwise", command, *arguments),
                cwd=folder,
                # Python would import from this folder, and so run a dropped file that is called numpy.py.
                env={**os.environ, "PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C in the terminal is for the server, which then stops the command itself.
                **_apart(),
            )
        except OSError as error:  # such as names of columns that are longer than a command may be
            run.state = "refused"
            run.said.append(f"The command cannot be started: {os.strerror(error.errno or 0)}.")
            return run
        self._ending = asyncio.create_task(self._follow(run, self._process))
        return run

    async def end(self) -> Run | None:
        """Wait for the end of the running command, if there is one."""
        if self._ending is not None:
            await self._ending
        return self.run

    async def stop(self) -> None:
        """Stop the running command as Ctrl-C does; kill it if it does not end."""
        process, ending = self._process, self._ending
        if process is None or ending is None or process.returncode is not None:
            return
        if self.run is not None:
            self.run.is_stopped = True
        process.send_signal(INTERRUPT)
        try:
            await asyncio.wait_for(asyncio.shield(ending), PATIENCE)
        except TimeoutError:
            process.kill()
            await ending

    async def _follow(self, run: Run, process: asyncio.subprocess.Process) -> None:
        """Keep what the process says, and how it ends."""
        assert process.stdout is not None
        assert process.stderr is not None
        printing = asyncio.create_task(process.stdout.read())
        # By parts, since a line may be longer than a stream holds.
        rest = b""
        while part := await process.stderr.read(2**16):
            *lines, rest = (rest + part).split(b"\n")
            run.said.extend(line.decode("utf-8", "replace") for line in lines)
        if rest:
            run.said.append(rest.decode("utf-8", "replace"))
        run.printed = (await printing).decode("utf-8", "replace")
        code = await process.wait()
        ends = {0: "done", USERS_MISTAKE: "refused"}
        run.state = "stopped" if code and run.is_stopped else ends.get(code, "failed")


def _apart() -> dict[str, Any]:
    """What keeps the signals of the terminal from a process."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
