"""From report data to one HTML file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from kernelwise._core.files import whole_file
from kernelwise.reports.data import ReportData
from kernelwise.reports.figures import figures
from kernelwise.reports.words import error_text, number, score_text, unbroken

#: Classes of a confusion matrix that is shown whole; rows of the table of all candidates.
MAX_CLASSES, MAX_ROWS = 30, 500
#: Nothing is fetched, and no script runs but the two of the page, whatever a label or a name says.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


def write_report(data: ReportData, path: Any) -> None:
    """Write a report as one HTML file, whole or not at all.

    Parameters
    ----------
    data : ReportData
        As from `report_data`.
    path : path-like

    Raises
    ------
    ImportError
        If jinja2 or plotly is not installed.

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


def render(data: ReportData) -> str:
    """The HTML text of a report."""
    missing = [name for name in ("jinja2", "plotly") if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"A report needs {' and '.join(missing)}. Install them with pip install 'kernelwise[report]'."
        )
    import jinja2
    from plotly.offline import get_plotlyjs

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kernelwise.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    environment.filters["number"] = number
    environment.filters["unbroken"] = unbroken
    environment.filters["score"] = lambda value: score_text(value, data.answer.is_share)
    environment.filters["error"] = lambda value: error_text(value, data.answer.is_share)
    scripts = [get_plotlyjs().replace("\r\n", "\n"), _asset("report.js")]
    return environment.get_template("report.html").render(
        data=data,
        figures=figures(data),
        scripts=scripts,
        policy=POLICY.format(scripts=" ".join(map(_hash, scripts))),
        style=_asset("report.css"),
        max_classes=MAX_CLASSES,
        max_rows=MAX_ROWS,
    )


def _asset(name: str) -> str:
    return (files("kernelwise.reports") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """A script's hash as a content security policy names it."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
