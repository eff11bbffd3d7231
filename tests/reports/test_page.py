"""The HTML file: small, whole, without network or foreign scripts, and nothing in it is taken for markup."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest

from kernelwise import Comparison, TunedSVC
from kernelwise.reports import page, report_data, write_report
from kernelwise.reports.curves import c_paths, chosen
from kernelwise.reports.figures import figures, paths_figure, reliability_figure

from .conftest import END, SCRIPT, Elements, with_baseline

ALL = ["hostile", "three", "diagonal", "regression"]
PICTURE = re.compile(r"data:image/png;base64,[\w+/=]+")
DATA = re.compile(r'<script type="application/json".*?</script>', re.DOTALL)
EXTERNAL = re.compile(r"(?:https?:)?//[a-z]|@import|url\(", re.IGNORECASE)


def written(fitted, tmp_path, **options):
    path = tmp_path / "report.html"
    fitted.model.report(path, fitted.X, fitted.y, **options)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
def test_band_around_the_path_of_C_is_as_wide_as_its_scale_says(blobs, tmp_path, scoring):
    model = TunedSVC(Cs=[0.5, 2.0, 8.0], cv=4, scoring=scoring).fit(*blobs)
    model.report(tmp_path / "report.html")
    paths = c_paths(model)
    which, index = chosen(model, paths)
    scale = paths_figure(paths, (which, index), "").y
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    drawn = page[page.index('id="figure-paths"') :]
    band = re.search(r'<path d="([^"]*)z" class="area"', drawn).group(1)
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", band)]
    wide = (heights[-1 - index] - heights[index]) / 1000 * (scale.high - scale.low)
    error = model.cv_results_["standard_error"][model.best_index_]
    assert error > 0.005
    assert wide == pytest.approx(2 * error, abs=2e-4)


def test_path_alone_is_enough(hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "correct on rows that the model was not trained on" in text
    assert 'id="regions"' not in text


@pytest.mark.parametrize("name", ALL)
def test_file_is_small_names_no_address_and_has_no_script_but_ours(name, request, tmp_path):
    text = written(request.getfixturevalue(name), tmp_path)
    still = written(request.getfixturevalue(name), tmp_path, interactive=False)
    assert "<script" not in still
    assert "script-src" not in still
    assert len(text) - len(still) < 150_000
    assert EXTERNAL.search(PICTURE.sub("", DATA.sub("", text))) is None
    assert len(text) < 400_000
    scripts = [attributes for tag, attributes in Elements(text).tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "try-data"}, {}]
    for tag, attributes in Elements(text).tags:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not {"src", "srcset", "action"} & set(attributes)
        assert attributes.get("href", "#").startswith(("#", "data:image/png;base64,"))
        assert not any(key.startswith("on") for key in attributes)


def test_as_many_points_as_are_drawn_fit_in_two_megabytes(tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(3000) % 2
    X = random.normal(size=(3000, 2)) + y[:, None]
    names = np.array([SCRIPT * 4, END * 4])[y]
    model = TunedSVC("linear", Cs=[1.0], cv=2).fit(X, names)
    model.report(tmp_path / "report.html", X, names, test=(X, names))
    assert 100_000 < (tmp_path / "report.html").stat().st_size < 2_000_000


def test_names_and_labels_are_text(hostile, tmp_path):
    ones = np.ones((2, 3))
    comparison = Comparison((SCRIPT, END), np.array([[0.8] * 3, [0.9] * 3]), ones, ones, ones, {END: SCRIPT})
    text = written(
        hostile._replace(model=with_baseline(hostile.model, 0.5, f"always answering '{SCRIPT}'")),
        tmp_path,
        test=(hostile.X, hostile.y),
        comparison=comparison,
        command=f"tune {SCRIPT}",
        source=SCRIPT,
        seed=SCRIPT,
        preparation=[SCRIPT, END],
    )
    elements = Elements(text)
    assert "".join(elements.text).count(SCRIPT) >= 12
    assert "".join(elements.text).count(END) >= 10
    assert SCRIPT not in text
    assert END not in text


def test_policy_lets_one_script_run_and_nothing_load(hostile, tmp_path):
    elements = Elements(written(hostile, tmp_path))
    policy = next(a["content"] for _, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    text = written(hostile, tmp_path)
    ours = text[text.rindex("<script>") + len("<script>") : text.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()
    assert re.findall("script[^;]*", policy) == [f"script-src 'sha256-{digest}'"]
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")


def dependence(n):
    """Names of the figures of n columns."""
    return [f"dependence-{k}" for k in range(n)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hostile", {"criterion", "tried", "paths", "reliability", "roc", "regions", *dependence(3)}),
        ("three", {"criterion", "tried", "paths", "reliability", "metric", "regions"}),
        ("diagonal", {"criterion", "tried", "paths", "reliability", "roc", "regions", *dependence(6)}),
        ("regression", {"criterion", "tried", "paths", "predictions", "residuals", *dependence(2)}),
    ],
)
def test_figures_are_those_with_data(name, expected, request):
    fitted = request.getfixturevalue(name)
    drawn = figures(report_data(fitted.model, fitted.X, fitted.y, test=(fitted.X, fitted.y)))
    assert set(drawn) == expected
    assert "nan" not in PICTURE.sub("", "".join(drawn.values()))


def test_the_answer_comes_first_and_the_search_last(hostile, regression, tmp_path):
    text = written(hostile, tmp_path)
    how = ["how"] if report_data(hostile.model).how else []
    assert Elements(text).sections == [
        *("confusion-1", "calibration", "roc", "coverage", "regions", "looks-at", "try", "findings"),
        *("why", *how, "criterion", "paths", "support", "history", "repeat"),
    ]
    assert text.index('id="findings"') < text.index('id="experts"') < text.index('id="why"')
    assert Elements(written(regression, tmp_path)).sections[0] == "predictions"


def test_facts_are_said_at_the_top(hostile, tmp_path):
    model = with_baseline(hostile.model, 0.55, "always answering 'x'")
    text = written(hostile._replace(model=model), tmp_path, preparation=["Column 'town' was coded."])
    top = text[: text.index('id="confusion-1"')]
    data = report_data(model)
    for said in (
        data.provenance.date[:10],
        "120 rows, 3 columns",
        "2 classes: ",
        "Column &#39;town&#39; was coded.",
    ):
        assert said in top
    assert "always answering &#39;x&#39;</dt><dd>55 %" in top


def test_pictures_say_what_they_measure(hostile, tmp_path):
    text = written(hostile, tmp_path)
    agreement = report_data(hostile.model, hostile.X, hostile.y).regions.agreement
    assert f"agrees with the model on {100 * agreement:.0f}\N{NO-BREAK SPACE}% of the rows" in text
    assert "right about" not in text[text.index('id="regions"') : text.index('id="findings"')]


def test_the_key_of_the_regions_has_every_class_even_if_all_of_it_is_wrong(hostile):
    wrong = np.full(len(hostile.y), END)
    wrong[:5] = SCRIPT
    drawn = figures(report_data(hostile.model, hostile.X, wrong))["regions"]
    keys = drawn[: drawn.index("</ul>")]
    assert keys.count("<li>") == 3
    assert keys.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 1


def test_serious_findings_are_open_and_notes_are_folded(hostile, tmp_path):
    text = written(hostile, tmp_path)
    part = text[text.index('id="findings"') : text.index('id="experts"')]
    is_open, folded = part.split("<details>")
    assert "Conflicts" in is_open
    assert 'class="info"' not in is_open
    assert 'class="warning"' not in folded
    assert 'class="info"' in folded


def test_confusion_has_totals_and_shares(three, tmp_path):
    text = written(three, tmp_path)
    table = text[text.index('<table class="confusion') :]
    cells = re.findall(r'<td class="n[^"]*"[^>]*>([^<]*)</td>', table[: table.index("</table>")])
    confusion = report_data(three.model).confusions[0]
    counts = confusion.counts
    assert [float(cell) for cell in cells[3:5]] == [counts[0].sum(), round(100 * confusion.recall[0])]
    sums = [*counts.sum(axis=0), counts.sum()]
    assert [float(cell) for cell in cells[15:]] == [*sums, *np.round(100 * confusion.precision)]


def test_long_names_of_many_classes_are_numbers_above_the_columns(tmp_path):
    y = np.repeat([f"month number {k}" for k in range(12)], 4)
    X = np.random.default_rng(0).normal(size=(48, 2)) + np.repeat(np.arange(12), 4)[:, None]
    TunedSVC("linear", Cs=[1.0], cv=2).fit(X, y).report(tmp_path / "report.html", X, y)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<th scope="col" title="month number 0">1</th>', text)
    assert re.search(r'<th scope="row"><span class="rank">1</span>month number 0</th>', text)


def test_rare_probabilities_are_enlarged(hostile):
    curve = report_data(hostile.model).reliabilities[0]
    assert reliability_figure([curve]).x.high == pytest.approx(1.02)
    rare = replace(
        curve, predicted=0.05 * curve.predicted, observed=0.05 * curve.observed, errors=0.0 * curve.errors
    )
    assert 0.03 < reliability_figure([rare]).x.high < 0.07


def test_sections_without_data_are_left_out(blobs, tmp_path):
    model = TunedSVC("linear", refit=False).fit(*blobs)
    model.report(tmp_path / "report.html")
    sections = set(Elements((tmp_path / "report.html").read_text("utf-8")).sections)
    assert sections - {"findings", "how"} == {"try", "why", "paths", "history", "repeat"}


def test_every_candidate_is_in_the_history(hostile, tmp_path):
    text = written(hostile, tmp_path)
    history = text[text.index('<table class="history">') :]
    n_rows = history.count("<tr") - history.count('<tr class="group"') - 1
    assert n_rows == len(hostile.model.cv_results_["params"])
    assert history.count('class="chosen"') == 1


def test_a_hundred_classes_are_listed_by_their_confusions(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(31), 4)
    X = random.normal(size=(124, 2)) + y[:, None]
    TunedSVC("linear", Cs=[1.0], cv=2).fit(X, y).report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="confusion' not in text
    assert "predicted as" in text


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
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs jinja2\. .*kernelwise\[report\]"):
        hostile.model.report(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_without_a_path_the_page_is_returned_and_shown(hostile, tmp_path):
    page = hostile.model.report(X=hostile.X, y=hostile.y)
    hostile.model.report(tmp_path / "r.html", hostile.X, hostile.y)
    same = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.sub("<dd>20.*?</dd>", "", page) == re.sub("<dd>20.*?</dd>", "", same)  # but for the date
    shown = page._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert "<html" not in shown
    assert len(repr(page)) < 100
