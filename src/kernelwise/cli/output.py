"""Output of a command: results on the standard output, lines for the user on the standard error stream.

An error is one such line, and an exit code.
"""

from __future__ import annotations

import errno
import io
import json
import linecache
import os
import re
import shutil
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from kernelwise._core.text import aligned, count, in_shell, jsonable, printable
from kernelwise.exceptions import NotEnoughMemoryError

if TYPE_CHECKING:
    from kernelwise._core.journal import Journal


Cells = Sequence[str]


@dataclass
class Session:
    """One run of a command; `session` is the one that is under way."""

    arguments: Sequence[str] = ()
    is_quiet: bool = False
    is_verbose: bool = False
    journal: Journal | None = None
    written: list[Path] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)  # sentences of findings that are left to the answer

    def begin(self, arguments: Sequence[str]) -> None:
        """Forget the run before."""
        self.__init__(arguments)  # type: ignore[misc]

    def stopped(self) -> str:
        """The sentence after Ctrl-C, which says what is left."""
        if self.journal is not None and len(self.journal):
            parts = count(len(self.journal), "finished part is", "finished parts are")
            return f"Stopped. {parts} kept in {self.journal.path}; run the same command to continue."
        if self.written:
            return f"Stopped. These files were already written: {', '.join(map(str, self.written))}."
        return "Stopped. Nothing was saved."


session = Session()


def be_quiet(is_wanted: bool) -> None:
    """Say nothing but errors from now on, if that is wanted."""
    session.is_quiet = session.is_quiet or is_wanted


def be_verbose(is_wanted: bool) -> None:
    """Say from now on what only some want to know, if that is wanted."""
    session.is_verbose = session.is_verbose or is_wanted


def say(sentence: str) -> None:
    """A line for the user; the standard output is for results."""
    if not session.is_quiet:
        print(printable(sentence), file=sys.stderr, flush=True)


def say_untold(told: Collection[str] = ()) -> None:
    """Say what was left to an answer that does not tell it, or to one that never came."""
    for sentence in session.untold:
        if sentence not in told:
            say(sentence)
    session.untold.clear()


def say_more(sentence: str) -> None:
    """A line for the user who asked for more."""
    if session.is_verbose:
        say(sentence)


def print_line(line: str = "") -> None:
    """A line of the result."""
    print(printable(line))


def print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """A line for each fact, behind its name; on a terminal, long ones go on below their beginning."""
    width = max(len(name) for name, _ in facts) + 2
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for name, text in facts:
        line = printable(f"{name:<{width}}{text}")
        print(textwrap.fill(line, room, subsequent_indent=" " * width) if room > 2 * width else line)


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on one line."""
    text = json.dumps(jsonable(value), allow_nan=False, ensure_ascii=False)
    print(text if text.isprintable() else "".join(map(_in_json, text)))


def _in_json(letter: str) -> str:
    return letter if printable(letter) == letter else json.dumps(letter)[1:-1]


def print_table(rows: Sequence[Cells], header: Cells | None = None) -> None:
    """Rows of cells: boxed on a terminal, aligned elsewhere; numbers to the right."""
    rows = [[printable(cell) for cell in row] for row in rows]
    header = header and [printable(name) for name in header]
    if sys.stdout.isatty():
        _print_rich(rows, header)
        return
    is_right = [_is_numeric(column) for column in zip(*rows, strict=True)]
    for line in aligned([*([header] if header else []), *rows], is_right):
        print(line)


def _print_rich(rows: Sequence[Cells], header: Cells | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=header is not None, box=box.ROUNDED)
    for name, column in zip(header or [""] * len(rows[0]), zip(*rows, strict=True), strict=True):
        table.add_column(Text(name), justify="right" if _is_numeric(column) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # as it is: a name may look like markup
    Console().print(table)


def _is_numeric(cells: Cells) -> bool:
    return all(not cell or cell[0] in "+-−.0123456789" for cell in cells)


#: Set to anything, it shows the trace of an error.
DEBUG = "KERNELWISE_DEBUG"
#: Whose deliberate errors are sentences for the user.
SPEAKERS = ("kernelwise", "sklearn", "typer")
#: click's UsageError, wherever this version of typer has it.
UsageError = typer.BadParameter.__mro__[1]


class UserError(ValueError):
    """The user has to change something; the message says what."""


def run(command: Callable[[], Any], arguments: Sequence[str] = ()) -> int:
    """Run a command, and turn whatever it raises into a sentence and an exit code."""
    session.begin(arguments)
    _write_any_letter()
    try:
        with _warnings_as_lines():
            code = command()
        if code == 130:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        say_untold()
        print(printable(session.stopped()), file=sys.stderr)
        return 130
    except Exception as error:
        if _has_reader_gone(error):
            # Python must not stumble over it once more when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        say_untold()
        if os.environ.get(DEBUG):
            traceback.print_exc()
        if type(error).__name__ == "NoArgsIsHelpError":  # not a sentence, but the help
            print(error.format_message(), file=sys.stderr)  # type: ignore[attr-defined]
            return 2
        if isinstance(error, UsageError):
            _tell(_usage(error))
            return 2
        if is_told(error):
            _tell(*_lines(error))
            return 2
        name = type(error).__name__
        _tell(
            f"this is an error in kernelwise, not in your command or file ({name}: {_sentence(error)}). "
            f"Please run the command again with {DEBUG}=1 set and send its output, with your versions, to "
            "the developers."
        )
        return 1


def _lines(error: Exception) -> list[str]:
    """The sentence of an error; the faults of a file are several lines, the last of them a whole command."""
    options = getattr(error, "options", "")
    if not options or not session.arguments:
        return list(getattr(error, "lines", [_sentence(error)]))
    *lines, _ = error.lines  # type: ignore[attr-defined]
    first = error.first.replace("then add", "then run")  # type: ignore[attr-defined]
    asked = _without_task(session.arguments) if "--task" in options else session.arguments
    return [*lines, f"{first}kernelwise {' '.join(map(in_shell, asked))} {options}"]


#: Options that go with the task.
OF_TASK = ("--task", "--scoring")


def _without_task(arguments: Sequence[str]) -> list[str]:
    """Arguments of the command line without the task that did not fit the file, and without its score."""
    places = {k for k, word in enumerate(arguments) if word in OF_TASK}
    return [
        word
        for k, word in enumerate(arguments)
        if k not in places
        and k - 1 not in places
        and not word.startswith(tuple(f"{name}=" for name in OF_TASK))
    ]


def _write_any_letter() -> None:
    """Let the standard streams take letters such as γ, whatever code page Windows has for files and pipes.

    A stream that does not go to a terminal becomes UTF-8, which our files are, unless the user chose
    something else; a letter that cannot be written even so is written as its number.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in ("utf-8", "utf8"):
            is_free = not (stream.isatty() or os.environ.get("PYTHONIOENCODING"))
            stream.reconfigure(encoding="utf-8" if is_free else None, errors="backslashreplace")


def _has_reader_gone(error: Exception) -> bool:
    """Whether nobody reads the output any more; Windows calls that an invalid argument, of no file."""
    is_invalid = isinstance(error, OSError) and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and is_invalid)


def is_told(error: BaseException) -> bool:
    """Whether an error was raised on purpose, to tell the user something: by a ``raise`` of our own.

    A ValueError that numpy raises in the middle of a computation is no sentence for a user.
    """
    is_ours = type(error).__module__.partition(".")[0] == "kernelwise"
    if is_ours or isinstance(error, OSError | MemoryError):
        return True
    frames = list(traceback.walk_tb(error.__traceback__))
    if not isinstance(error, ValueError | TypeError) or not frames:
        return False
    frame, line = frames[-1]
    speaker = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    source = linecache.getline(frame.f_code.co_filename, line).strip()
    return speaker in SPEAKERS and (source.startswith("raise ") or not source)


#: How the library names what the command line has as options, and rows.
WORDS = (
    (
        r"X is sparse, and (\w+) takes dense samples only\. Pass X\.toarray\(\)\.",
        r"The file has sparse rows, but the kernel \1 needs dense ones. Write the rows to a CSV file, or use "
        "another --kernel.",
    ),
    (r"\bcv=(\d+)", r"--cv \1"),
    (r"'(cv|scoring|kernel|criterion)'( of Tuned\w+)?", r"--\1"),
    (r"'costs'( of Tuned\w+)?", "--cost"),
    (r" of Tuned\w+", ""),
    (r"\bsample(s?)\b", r"row\1"),
)


def in_options(sentence: str) -> str:
    """A sentence of the library in the words of the command line."""
    for pattern, word in WORDS:
        sentence = re.sub(pattern, word, sentence)
    return sentence


def _usage(error: Any) -> str:
    """The sentence on a command that is written wrongly, and where the user finds how to write it."""
    sentence = error.format_message().replace("Value error, ", "")
    sentence = re.sub(r"Input should be a valid (\w+), unable to parse .*", r"give a \1.", sentence)
    end = "" if sentence.endswith((".", "?")) else "."
    context = f" `{error.ctx.command_path} --help` lists what you can write." if error.ctx else ""
    return f"{sentence}{end}{context}"


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError) and not isinstance(error, NotEnoughMemoryError):
        return "the computer has not enough memory for this. Use fewer rows."
    if isinstance(error, FileNotFoundError) and error.filename:
        return (
            f"There is no file {error.filename}. Check the name, and the folder in which you run the command."
        )
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error)


def _tell(*lines: str) -> None:
    plain = [printable(" ".join(line.split())) for line in lines]
    print("kernelwise: " + "\n".join(plain), file=sys.stderr)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show warnings as sentences; deprecations and open files are for developers."""
    told: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        # Each of several steps of a command may warn of the same thing.
        if not session.is_quiet and str(message) not in told:
            told.add(str(message))
            _tell(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in (
            DeprecationWarning,
            PendingDeprecationWarning,
            FutureWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", category)
        # The columns of a file are put in the order of the model before it sees them.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        # A class that a candidate never answers has a precision of 0, which is what it deserves.
        warnings.filterwarnings("ignore", ".*is ill-defined and being set to 0.0")
        warnings.showwarning = show
        yield
