"""The section of a page that can be asked, and the pages that are made of it: a model, and predictions."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from sklearn.base import is_outlier_detector

from kernelwise._core.files import whole_file
from kernelwise._core.text import count
from kernelwise._core.typing import PathLike, RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.exceptions import IncompatibleError
from kernelwise.reports.askable import MOST_LETTERS, askable, cells_of, too_large
from kernelwise.reports.sentences import SAID, TRY
from kernelwise.search.wording import kernel_text


@dataclass(frozen=True)
class Asked:
    """The section "Try it".

    Attributes
    ----------
    text : str
        The data in JSON, as it stands in the page: no sign in it can end the element that holds it.
    reason : str
        Why there is nothing to ask, as a sentence; empty if there is.
    task : str
        "classes", "numbers" or "one class".
    n_rows : int
        Training rows that can be read in the data.
    has_new_rows : bool
        Whether rows to predict are in the data.
    """

    text: str = field(default="", repr=False)
    reason: str = ""
    task: str = ""
    n_rows: int = 0
    has_new_rows: bool = False
    words = TRY
    said = SAID

    @property
    def has_rows(self) -> bool:
        return self.n_rows > 0

    @property
    def about_rows(self) -> str:
        """A sentence on the training rows in the page."""
        return TRY["has_rows"].format(n=self.n_rows) if self.has_rows else TRY["has_no_rows"]

    @property
    def script(self) -> str:
        """The one script of the page; nothing of it comes from the data."""
        return script()

    @property
    def policy(self) -> str:
        """What the page's policy has to allow: this script, by its hash."""
        return "" if self.reason else f"; script-src '{script_hash()}'"


@cache
def script() -> str:
    """The text of the script, as it stands in a page."""
    return "\n".join(static(name) for name in ("machine.js", "form.js"))


@cache
def script_hash() -> str:
    """Its hash, as a Content-Security-Policy names it."""
    digest = hashlib.sha256(script().encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def static(name: str) -> str:
    """A file of the folder static, as text."""
    return (files("kernelwise.reports") / "static" / name).read_text(encoding="utf-8")


def in_page(data: Any) -> str:
    """JSON in which no sign means anything to HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def asked(model: TunedMachine, rows: RowsLike | None = None) -> Asked:
    """The section for a model; ``rows`` are new ones that a click fills the form with."""
    try:
        data = askable(model)
    except IncompatibleError as error:
        return Asked(reason=str(error))
    more = {} if rows is None else {"rows": cells_of(model, rows)}
    text = in_page({**data, "said": SAID, "more": TRY["more"], **more})
    if len(text) > MOST_LETTERS:
        return Asked(reason=too_large(len(text)))
    n_rows = len(model.best_estimator_.support_vectors_) if data["has_rows"] else 0
    return Asked(text, "", data["task"], n_rows, rows is not None)


def model_page(model: TunedMachine, section: Asked | None = None) -> str:
    """Make the page of a model that answers: the section "Try it" alone, as HTML text.

    Parameters
    ----------
    model : TunedSVC, TunedSVR or TunedOneClassSVM
        Fitted.
    section : Asked, default=None
        That of `asked`, if it was made before; None makes it.

    Returns
    -------
    page : str

    Raises
    ------
    IncompatibleError
        Saying why, if a page cannot compute the answers of the model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import model_page
    >>> page = model_page(TunedSVC("rbf", Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True)))
    >>> page[:15], 'id="try-form"' in page
    ('<!DOCTYPE html>', True)
    """
    section = asked(model) if section is None else section
    if section.reason:
        raise IncompatibleError(section.reason)
    return rendered("alone.html", section, label=TRY["page"], title=_title(model), about=[_about(model)])


def write_page(text: str, path: PathLike) -> None:
    """Write a page whole or not at all.

    Parameters
    ----------
    text : str
        As of `model_page` or `predictions_page`.
    path : path-like

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from kernelwise.reports import write_page
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "page.html"
    ...     write_page("<!DOCTYPE html>", path)
    ...     print(path.read_text(encoding="utf-8"))
    <!DOCTYPE html>
    """
    with whole_file(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _title(model: Any) -> str:
    target = getattr(model, "target_name_", None)
    if is_outlier_detector(model):  # a classifier may have a threshold, too
        return "A model that finds unusual rows"
    return "A model that answers" if target is None else f"A model that predicts {target}"


def _about(model: Any) -> str:
    """What the model is, in a sentence."""
    n, d = model.best_estimator_.support_vectors_.shape
    kept = f"{count(n, 'row')} of the training data with {count(int(d), 'feature')}"
    what = getattr(model.result_, "blend", "") or kernel_text(model.kernel_)
    return f"{type(model).__name__}: {what}. The model keeps {kept}."


def rendered(template: str, section: Asked, **parts: Any) -> str:
    """A page with the section at its end."""
    from kernelwise.reports.page import POLICY, environment, style

    made: str = (
        environment()
        .get_template(template)
        .render(asked=section, policy=POLICY + section.policy, style=style(), **parts)
    )
    return made
