"""The HTML file: whole, without network, and with nothing in it that is taken for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from kernelwise import Comparison, TunedSVC
from kernelwise.reports import page, report_data, write_report
from kernelwise.reports.figures import figures

from .conftest import END, SCRIPT

ALL = ["hostile", "three", "diagonal", "regression"]
EXTERNAL = re.compile(r"(?:https?:)?//[a-z]|@import|url\(", re.IGNORECASE)


class Elements(HTMLParser):
    """Tags with their attributes, and the text inside scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.text = [], [], []
        self.is_in_script = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.is_in_script = tag == "script"
        if self.is_in_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.is_in_script = False

    def handle_data(self, data):
        if self.is_in_script:
            self.scripts[-1] += data
        else:
            self.text.append(data)


def written(fitted, tmp_path, **options):
    path = tmp_path / "report.html"
    fitted.model.report(path, fitted.X, fitted.y, **options)
    return path.read_text(encoding="utf-8")


@pytest.fixture
def without_bundle(monkeypatch):
    """plotly's own script has addresses in it, which it asks for only to draw maps; ours must have none."""
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: "/* plotly */")


def test_path_alone_is_enough(hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "in cross-validation" in text
    assert 'id="regions"' not in text
    assert 5_500_000 > len(text) > 4_000_000


@pytest.mark.parametrize("name", ALL)
def test_file_names_no_address(name, request, tmp_path, without_bundle):
    text = written(request.getfixturevalue(name), tmp_path)
    assert EXTERNAL.search(text) is None
    assert len(text) < 300_000
    for tag, attributes in Elements(text).tags:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not {"src", "href", "srcset", "action"} & set(attributes)


def test_names_and_labels_are_text(hostile, tmp_path, without_bundle):
    ones = np.ones((2, 3))
    comparison = Comparison((SCRIPT, END), np.array([[0.8] * 3, [0.9] * 3]), ones, ones, ones, {END: SCRIPT})
    text = written(
        hostile,
        tmp_path,
        test=(hostile.X, hostile.y),
        comparison=comparison,
        command=f"tune {SCRIPT}",
        source=SCRIPT,
        seed=SCRIPT,
    )
    elements = Elements(text)
    assert [tag for tag, _ in elements.tags].count("script") == len(elements.scripts) == 3
    assert not any("alert(1)" in script for script in elements.scripts[1:])
    assert "".join(elements.text).count(SCRIPT) >= 10
    assert "".join(elements.text).count(END) >= 8
    assert SCRIPT not in text
    assert END not in text
    # The JSON beside the page says the same, and ends nowhere but at its end.
    assert "<" not in elements.scripts[0]
    legend = [trace.get("name") for trace in json.loads(elements.scripts[0])["regions"]["data"]]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in legend


def test_only_the_scripts_of_the_page_may_run(hostile, tmp_path, without_bundle):
    elements = Elements(written(hostile, tmp_path))
    policy = next(a["content"] for _, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy")
    digests = [hashlib.sha256(script.encode()).digest() for script in elements.scripts[1:]]
    allowed = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    assert f"script-src {' '.join(allowed)};" in policy
    assert policy.startswith("default-src 'none';")


@pytest.mark.parametrize("name", ALL)
def test_plotly_knows_every_property_of_the_figures(name, request):
    from plotly.graph_objects import Figure

    fitted = request.getfixturevalue(name)
    drawn = figures(report_data(fitted.model, fitted.X, fitted.y, test=(fitted.X, fitted.y)))
    for figure in drawn.values():
        Figure(figure)  # ValueError for a property or a value that plotly does not have
        json.dumps(figure, allow_nan=False)
        assert sum(len(trace["x"]) for trace in figure["data"]) <= 2000 + 200
    expected = {
        "hostile": {"criterion", "paths", "reliability", "regions"},
        "three": {"criterion", "paths", "reliability", "relevance", "metric", "regions"},
        "diagonal": {"criterion", "paths", "reliability", "relevance", "regions"},
        "regression": {"criterion", "paths", "predictions"},
    }
    assert set(drawn) == expected[name]


def test_figures_show_the_data(hostile):
    data = report_data(hostile.model, hostile.X, hostile.y)
    drawn = figures(data)
    star = drawn["paths"]["data"][-1]
    assert (star["x"], star["y"]) == ([hostile.model.C_], [hostile.model.best_score_])
    curve = next(trace for trace in drawn["criterion"]["data"] if trace["name"] == "DBTC")
    assert curve["customdata"] == hostile.model.criterion_path_["dbtc"].tolist()
    assert drawn["reliability"]["data"][1]["y"] == data.reliabilities[0].observed.tolist()


def test_sections_without_data_are_left_out(blobs, tmp_path, without_bundle):
    model = TunedSVC("linear", refit=False).fit(*blobs)
    model.report(tmp_path / "report.html")
    ids = {
        a["id"] for tag, a in Elements((tmp_path / "report.html").read_text("utf-8")).tags if tag == "section"
    }
    assert ids == {"why", "paths", "history", "repeat"}


def test_every_candidate_is_in_the_history(hostile, tmp_path, without_bundle):
    text = written(hostile, tmp_path)
    history = text[text.index('<table class="history">') :]
    n_rows = history.count("<tr") - history.count('<tr class="group"') - 1
    assert n_rows == len(hostile.model.cv_results_["params"])
    assert history.count('class="chosen"') == 1


def test_many_classes_are_listed_by_their_confusions(tmp_path, without_bundle):
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(31), 4)
    X = random.normal(size=(124, 2)) + y[:, None]
    TunedSVC("linear", Cs=[1.0], cv=2).fit(X, y).report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="confusion' not in text
    assert "taken for" in text


def test_failed_report_leaves_the_old_one(hostile, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    data = report_data(hostile.model)

    def broken(data):
        raise RuntimeError("no figure")

    monkeypatch.setattr(page, "figures", broken)
    with pytest.raises(RuntimeError, match="no figure"):
        write_report(data, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_package_is_named(hostile, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(ImportError, match=r"needs jinja2\. .*kernelwise\[report\]"):
        hostile.model.report(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
