"""From report data to one HTML file that needs no network."""

from __future__ import annotations

import re
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

from kernelwise._core.files import whole_file
from kernelwise._core.text import count
from kernelwise._core.typing import PathLike
from kernelwise.reports.answer import classes_text, headline, setting
from kernelwise.reports.asking import static
from kernelwise.reports.data import ReportData
from kernelwise.reports.figures import figures
from kernelwise.reports.held_out import Confusion
from kernelwise.reports.words import sentence, shortened, unbroken
from kernelwise.search.wording import number

if TYPE_CHECKING:
    from markupsafe import Markup

#: An option of the command line in a text.
OPTION = re.compile(r"--[a-z][\w-]*")
#: Classes of a confusion matrix that is shown whole; rows of the table of all candidates.
MAX_CLASSES, MAX_ROWS = 30, 500
#: Classes from which a confusion matrix is narrow, and letters of names that fit above its columns then.
MANY, SHORT = 6, 4
#: Findings that the head of the page tells in full.
MOST_FIRST = 3
#: Pixels of the frame in which a notebook shows a report.
HEIGHT = 800
#: Nothing is fetched, and no script runs but that of `kernelwise.reports.asking`, whatever a label or a name
#: says; pictures are in the page.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


class Page(str):
    """Report as HTML text, which a notebook shows in a frame of its own.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> page = TunedSVC("rbf", Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True)).report()
    >>> page[:15]
    '<!DOCTYPE html>'
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        return super().__new__(cls, text)

    @classmethod
    def of(cls, data: ReportData) -> Self:
        """The page of a report."""
        return cls(render(data))

    def __repr__(self) -> str:
        return f"<report of {len(self)} letters; a notebook shows it, and report(path) writes it>"

    def _repr_html_(self) -> str:
        """The page in a frame, so that its style and that of the notebook do not meet."""
        return f'<iframe srcdoc="{escape(self)}" style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'


def write_report(data: ReportData, path: PathLike) -> None:
    """Write a report as one HTML file; if it fails, no incomplete file is left.

    Parameters
    ----------
    data : ReportData
        As from `report_data`.
    path : path-like

    Raises
    ------
    ImportError
        If jinja2 is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import report_data, write_report
    >>> model = TunedSVC(Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_report(report_data(model), path)
    ...     print(path.read_text(encoding="utf-8")[:15])
    <!DOCTYPE html>
    """
    text = render(data)
    with whole_file(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def environment() -> Any:
    """What fills the templates."""
    if find_spec("jinja2") is None:
        raise ImportError('A report needs jinja2. Install it with pip install "kernelwise[report]".')
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("kernelwise.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=number,
        unbroken=unbroken,
        shortened=shortened,
        sentence=sentence,
        count=count,
        with_options=with_options,
    )
    return made


def render(data: ReportData) -> str:
    """The HTML text of a report."""
    templates = environment()
    templates.filters.update(score=data.answer.text, error=data.answer.error)
    text: str = templates.get_template("report.html" if data.outliers is None else "outliers.html").render(
        data=data,
        figures=figures(data),
        setting=setting(data.answer),
        headline=headline,
        classes=classes_text(data.classes),
        tables=[(table, is_numbered(table)) for table in data.confusions],
        serious=[finding for finding in data.findings if finding.severity != "info"],
        notes=[finding for finding in data.findings if finding.severity == "info"],
        asked=data.asked,
        policy=POLICY + ("" if data.asked is None else data.asked.policy),
        style=style(),
        max_classes=MAX_CLASSES,
        max_rows=MAX_ROWS,
        many=MANY,
        most_first=MOST_FIRST,
    )
    return text


def style() -> str:
    """The style of all pages."""
    return "".join(map(static, ("common.css", "report.css", "try.css")))


def with_options(text: str) -> Markup:
    """A text in which no line ends inside an option of the command line."""
    from markupsafe import Markup, escape

    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', str(escape(text))))


def is_numbered(table: Confusion) -> bool:
    """Whether the columns of a confusion matrix have numbers, since their names need too much room."""
    return len(table.labels) > MANY and max(map(len, table.labels)) > SHORT
