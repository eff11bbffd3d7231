"""kernelwise tune and compare on rows that belong together, or that are of a time."""

from __future__ import annotations

import datetime
import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

from kernelwise import TunedSVC
from kernelwise.persistence import load

from .test_tune import validated

SHORT = ("--log2c", "0,2,2", "--kernel", "rbf", "--quiet")


@pytest.fixture
def visits(tmp_path):
    """Five visits each of 16 patients, whose rows are alike and have one random label; and its columns."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(16), 5)
    X = np.round(random.normal(size=(16, 3))[patient] + 0.1 * random.normal(size=(80, 3)), 4)
    y = np.array(["well", "ill"])[(np.arange(16) % 2)[patient]]
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(d)) for d in random.permutation(80)]
    lines = ["patient,day,a,b,c,class"]
    lines += [f"p{patient[k]},{days[k]},{','.join(map(str, X[k]))},{y[k]}" for k in range(80)]
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    return X, y, patient, np.array(days)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_a_group_stays_together_and_is_no_feature(run, visits):
    X, y, patient, _ = visits
    result = validated(
        run("tune", "visits.csv", "--group", "patient", "--ignore", "day", *SHORT, "--json"), "tune"
    )
    assert result["data"]["n_features"] == 3
    assert result["settings"]["group"] == "patient"
    assert "Rows with the same 'patient' stay together in one fold (16 groups)." in result["data"]["notes"]
    model = TunedSVC("rbf", Cs=[1.0, 4.0])
    alike = validated(run("tune", "visits.csv", "--ignore", "day,patient", *SHORT, "--json"), "tune")
    assert result["score"]["cross_validated"] < 0.8 < 0.95 < alike["score"]["cross_validated"]
    model.fit(X, y, groups=patient)
    assert result["score"]["cross_validated"] == pytest.approx(model.result_.score)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
@pytest.mark.parametrize("cv", ["auto", "3"])
def test_folds_of_time_train_on_earlier_rows(run, visits, tmp_path, cv):
    X, y, _, days = visits
    options = ("--time", "day", "--ignore", "patient", "--cv", cv, *SHORT, "--model", "m.kw")
    result = validated(run("tune", "visits.csv", *options, "--json"), "tune")
    assert result["score"]["n_folds"] == (5 if cv == "auto" else 3)
    order = np.argsort(days, kind="stable")
    folds = TimeSeriesSplit(5 if cv == "auto" else 3)
    model = TunedSVC("rbf", Cs=[1.0, 4.0], cv=folds).fit(X[order], y[order])
    assert result["score"]["cross_validated"] == pytest.approx(model.result_.score)
    assert repr(load(tmp_path / "m.kw").cv) == repr(folds)
    run("tune", "visits.csv", *options, "--report", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "each row that a fold held out was predicted by a model that was not trained on it" in page


@pytest.mark.parametrize(
    "option", [("--group", "patient", "--ignore", "day"), ("--time", "day", "--ignore", "patient")]
)
def test_compare_has_the_same_folds_outside_and_inside(run, visits, option):
    methods = ("--methods", "kernelwise,SVC defaults", "--folds", 2)
    result = validated(run("compare", "visits.csv", *option, *methods, "--quiet", "--json"), "compare")
    assert result["settings"][option[0][2:]] == option[1]
    plain = json.loads(
        run("compare", "visits.csv", "--ignore", "day,patient", *methods, "--quiet", "--json").out
    )
    scores = [one["methods"][0]["accuracy"] for one in (result, plain)]
    assert scores[0] < scores[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--group", "patient", "--time", "day"), "--group and --time cannot be used together"),
        (("--group", "nobody"), "has no column 'nobody' (--group)"),
        (("--group", "class", "--target", "class"), "Column 'class' is both --target and --group"),
        (("--group", "class"), "Column 'class' would be the target, but --group names it, too"),
        (("--time", "patient"), "line 2, column 'patient' has 'p0', which is neither a number nor a date"),
        (("--group", "day"), "all 80 rows have different values"),
    ],
)
def test_columns_that_cannot_be(refused, visits, options, words):
    for command in ("tune", "compare"):
        assert words in refused(command, "visits.csv", *options, "--quiet")


def test_more_folds_of_time_than_rows_are_refused(refused, visits):
    options = ("visits.csv", "--time", "day", "--ignore", "patient", "--quiet")
    assert "--cv 80 needs more than 80 rows, but the file has 80" in refused("tune", *options, "--cv", 80)
    words = refused("compare", *options, "--folds", 80, "--methods", "SVC defaults")
    assert "80 folds of time need more than 80 samples, not 80" in words


def test_gaps_and_libsvm_files_are_refused(refused, tmp_path, visits):
    text = (tmp_path / "visits.csv").read_text().replace("p3,", ",", 1)
    (tmp_path / "gaps.csv").write_text(text)
    assert "column 'patient' is empty" in refused("tune", "gaps.csv", "--group", "patient", "--quiet")
    (tmp_path / "rows.libsvm").write_text("".join(f"{k % 2} 1:{k} 2:{-k}\n" for k in range(9)))
    assert "LIBSVM file" in refused("tune", "rows.libsvm", "--time", "1", "--quiet")


def test_a_test_far_below_cross_validation_leads_to_groups(run, visits, tmp_path):
    head, *_ = (tmp_path / "visits.csv").read_text().splitlines()
    random = np.random.default_rng(1)
    (tmp_path / "test.csv").write_text(
        "\n".join(
            [
                head,
                *(
                    f"q,2024-05-05,{','.join(map(str, row))},{('ill', 'well')[k % 2]}"
                    for k, row in enumerate(random.normal(size=(60, 3)).round(3))
                ),
            ]
        )
    )
    result = validated(
        run("tune", "visits.csv", "test.csv", "--ignore", "day,patient", *SHORT, "--json"), "tune"
    )
    found = {finding["name"]: finding["advice"] for finding in result["findings"]}
    assert "--group COL" in found["test below cross-validation"]
    assert "--time COL" in found["test below cross-validation"]


# -- the target --------------------------------------------------------------------------------------------
@pytest.fixture
def at_terminal(monkeypatch):
    """Somebody who answers questions."""

    def answering(*answers):
        lines = iter([f"{answer}\n" for answer in answers])
        monkeypatch.setattr(
            "sys.stdin", SimpleNamespace(isatty=lambda: True, readline=lambda: next(lines, ""))
        )
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return answering


LINEAR = ("--log2c", "0,2,2", "--kernel", "linear")


def coordinates(tmp_path, header="X,Y,month,area"):
    rng = np.random.default_rng(0)
    lines = [f"{k % 5},{k % 7},{'ab'[k % 2]},{a:.2f}" for k, a in enumerate(rng.normal(size=40) + 5.0)]
    (tmp_path / "f.csv").write_text("\n".join([header, *lines]))
    return "f.csv"


def target_of(outcome):
    return re.match(r"Predicting '(.*?)' \((.*?)\)", outcome.out).groups()


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("X,Y,month,area", "area"),  # a bare Y is a coordinate
        ("x,y,month,area", "area"),  # and so is y beside x
        ("a,Y,month,area", "area"),
        ("a,y,month,area", "y"),
        ("a,Label,month,area", "Label"),
        ("class,label,month,area", "area"),
    ],
)
def test_a_target_is_guessed_by_its_name_or_is_the_last(run, tmp_path, header, target):
    found = target_of(run("tune", coordinates(tmp_path, header), *LINEAR))
    assert found == (target, "a number" if target == "area" else "7 classes")


def test_who_is_there_is_asked_for_the_target(run, tmp_path, at_terminal):
    at_terminal("areas", "3")
    told = run("tune", coordinates(tmp_path), *LINEAR)
    assert target_of(told) == ("month", "2 classes")
    assert "The columns of f.csv are: 1 X, 2 Y, 3 month, 4 area.\n" in told.err
    assert told.err.count("Which one should be predicted? (name or number, [Enter] for 'area') ") == 2
    assert "has no column 'areas' (--target)" in told.err
    at_terminal("")
    assert target_of(run("tune", coordinates(tmp_path), *LINEAR)) == ("area", "a number")
    at_terminal("1", "2", "3")
    assert "Which one" not in run("tune", coordinates(tmp_path), *LINEAR, "--target", "month").err
    assert "Which one" not in run("tune", coordinates(tmp_path, "a,class,b,c"), *LINEAR).err
    at_terminal(*"abc")
    assert run("tune", coordinates(tmp_path), *LINEAR).code == 2


def test_a_quantity_starts_a_regression_and_a_score_tells_it_too(run, refused, tmp_path):
    name = coordinates(tmp_path)
    for options in ((), ("--scoring", "r2"), ("--scoring", "neg_mean_absolute_error")):
        told = run("tune", name, *LINEAR, *options)
        assert target_of(told) == ("area", "a number")
    assert "'area' looks like a quantity, so this is a regression" in run("diagnose", name).err
    methods = ("--methods", "SVR defaults", "--folds", "2")
    assert run("compare", name, *methods).out.split()[:2] == ["method", "R²"]
    wrong = refused("compare", name, "--methods", "SVC defaults", "--folds", "2")
    assert "'SVC defaults' is not supported" in wrong
    assert "does not work for a classification" in refused(
        "tune", name, "--target", "month", "--scoring", "r2"
    )


@pytest.mark.parametrize("name", ["{}", "p{:02d}"])
def test_a_column_of_groups_is_to_be_named_with_group(run, tmp_path, name):
    """15 patients of ten rows each with one random label: to ignore them would hide it."""
    random = np.random.default_rng(0)
    label, centre = random.permutation(np.arange(15) % 2), random.normal(size=(15, 4))
    rows = [(k, centre[k] + 0.05 * random.normal(size=4)) for k in np.repeat(np.arange(15), 10)]
    lines = [f"{name.format(k)},{','.join(f'{v:.6f}' for v in row)},{'ab'[label[k]]}" for k, row in rows]
    (tmp_path / "t.csv").write_text("\n".join(["patient,a,b,c,d,class", *lines]) + "\n")

    def found(*options):
        result = json.loads(run(*options, "--json").out)
        return {one["name"]: one["advice"] for one in result["findings"]}

    told = "groups in several folds"
    for options in (("tune", "t.csv", *SHORT), ("diagnose", "t.csv", "--quiet")):
        for ignore in ((), ("--ignore", "patient")):
            findings = found(*options, *ignore)
            assert "use --group patient" in findings[told]
            assert "target in a column" not in findings
    assert told not in found("tune", "t.csv", *SHORT, "--group", "patient")
    assert told not in found("tune", "t.csv", *SHORT, "--group", "patient", "--ignore", "a")


def test_rows_that_are_near_copies_are_told(run, tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(random.integers(0, 2, 50), 3)
    X = np.repeat(random.normal(size=(50, 5)), 3, axis=0) + 0.001 * random.normal(size=(150, 5))
    table = np.column_stack([X, y])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c,d,e,class", comments="")
    for options in (("tune", "t.csv", *SHORT), ("diagnose", "t.csv", "--quiet")):
        findings = json.loads(run(*options, "--json").out)["findings"]
        (advice,) = (one["advice"] for one in findings if one["name"] == "near copies")
        assert "--group" in advice
