"""Whole numbers that are names: found where their order says nothing, and nowhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from kernelwise import TunedSVC, TunedSVR, load
from kernelwise.tables import Table, learn_encoding
from kernelwise.tables.codes import RIDGES, _left_out_losses, gain_of_names, with_codes
from kernelwise.tables.draw import truth_of


def lessons(seed: int, n_rows: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """Lessons of 25 teachers in 26 courses, and how they were rated: some are better, in no order."""
    random = np.random.default_rng(seed)
    teacher, course = random.integers(1, 26, n_rows), random.integers(1, 27, n_rows)
    quality = random.normal(size=26)[teacher] + random.normal(size=27)[course]
    quality += 0.4 * random.normal(size=n_rows)
    frame = pd.DataFrame({"teacher": teacher, "course": course, "size": random.integers(3, 67, n_rows)})
    return frame, np.digitize(quality, np.quantile(quality, [1 / 3, 2 / 3]))


#: Quantities in whole numbers, and how the target follows them.
TRAPS = {
    "rating": (lambda random, n: random.integers(1, 11, n), lambda x: 0.4 * x),
    "visits": (lambda random, n: random.poisson(6, n), np.sqrt),
    "dose": (lambda random, n: random.integers(0, 24, n), lambda x: np.sin(x / 4.0)),
    "rooms": (lambda random, n: random.integers(1, 16, n), lambda x: 1.5 * (x > 7)),
    "wait": (lambda random, n: np.minimum(random.geometric(0.15, n), 30), np.log),
    "nothing": (lambda random, n: random.integers(1, 21, n), lambda x: 0.0 * x),
}


def coded(
    frame: pd.DataFrame, y: np.ndarray, is_classes: bool = True, kept: tuple[int, ...] = ()
) -> list[str]:
    table = Table(tuple(frame.columns), tuple(frame[name].to_numpy(float) for name in frame))
    found = with_codes(table, y, is_classes, kept)
    return [frame.columns[k] for k in sorted(found.codes_as_words)]


@pytest.mark.parametrize("name", TRAPS)
@pytest.mark.parametrize("is_classes", [True, False])
def test_quantities_stay_numbers(name, is_classes):
    values_of, answer_to = TRAPS[name]
    for seed in range(10):
        random = np.random.default_rng(seed)
        values, other, noise = values_of(random, 300), *random.normal(size=(2, 300))
        y = answer_to(values) + 0.5 * other + 0.7 * noise
        frame = pd.DataFrame({name: values, "other": other})
        assert coded(frame, y > np.median(y) if is_classes else y, is_classes) == []


@pytest.mark.parametrize("is_classes", [True, False])
def test_names_are_found(is_classes):
    n_found = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        shop, other, noise = random.integers(101, 121, 300), *random.normal(size=(2, 300))
        y = random.normal(size=121)[shop] + 0.5 * other + 0.7 * noise
        frame = pd.DataFrame({"shop": shop, "other": other})
        n_found += coded(frame, y > np.median(y) if is_classes else y, is_classes) == ["shop"]
    assert n_found >= 8


def test_what_is_left_out_is_left_out():
    """Each row in turn, with kernel ridge regression on the others."""
    random = np.random.default_rng(0)
    kind = random.permutation(np.repeat(np.arange(5), [3, 4, 5, 6, 2]))
    truth = truth_of(random.integers(0, 3, 20), True)
    kernels = [np.exp(-0.3 * np.subtract.outer(np.arange(5.0), np.arange(5.0)) ** 2), np.eye(5)]
    options = []
    for kernel in kernels:
        K = (kernel + 1.0)[np.ix_(kind, kind)]
        for ridge in RIDGES:
            losses = []
            for row in range(20):
                others = np.delete(np.arange(20), row)
                system = K[np.ix_(others, others)] + ridge * np.eye(19)
                answer = K[row, others] @ np.linalg.solve(system, truth[others])
                losses.append(((truth[row] - answer) ** 2).mean())
            options.append(losses)
    best = min(options, key=np.mean)
    assert_allclose(_left_out_losses(kernels, kind, truth), best, rtol=1e-8)


def test_the_order_and_the_unit_of_numbers_do_not_matter_to_names():
    frame, y = lessons(1)
    values, truth = frame["course"].to_numpy(float), truth_of(y, True)
    gain = gain_of_names(values, truth)
    order = np.random.default_rng(0).permutation(len(y))
    assert_allclose(gain_of_names(values[order], truth[order]), gain, rtol=1e-8)
    assert_allclose(gain_of_names(3.0 * values + 100.0, truth), gain, rtol=1e-8)
    with_gaps = np.append(values, np.nan)
    assert_allclose(gain_of_names(with_gaps, np.vstack([truth, truth[:1]])), gain, rtol=1e-8)


def test_who_says_what_columns_are_is_heard():
    frame, y = lessons(1)
    assert coded(frame, y) == ["teacher", "course"]
    assert coded(frame, y, kept=(1,)) != ["teacher", "course"]
    assert "course" not in coded(frame, y, kept=(1,))
    assert coded(frame.rename(columns={"course": "year"}), y) != ["teacher", "year"]
    for told in (None, ["teacher"]):
        model = TunedSVC("rbf", categorical_features=told).fit(frame, y)
        assert "numbers as names" not in [finding.name for finding in model.diagnostics_]
    grouped = TunedSVC("rbf").fit(frame, y, groups=frame["teacher"])
    assert "numbers as names" not in [finding.name for finding in grouped.diagnostics_]


def test_a_frame_is_coded_as_if_the_user_had_said_so(tmp_path):
    frame, y = lessons(1)
    model = TunedSVC("rbf", random_state=0).fit(frame, y)
    (finding,) = [one for one in model.diagnostics_ if one.name == "numbers as names"]
    assert "'teacher' and 'course' count as words" in finding.message
    told = TunedSVC("rbf", random_state=0, categorical_features=["teacher", "course"]).fit(frame, y)
    np.testing.assert_array_equal(model.predict_proba(frame), told.predict_proba(frame))
    new = frame.assign(course=99)  # a code that no training row had
    np.testing.assert_array_equal(model.predict_proba(new), told.predict_proba(new))
    model.save(tmp_path / "m.kw")
    again = load(tmp_path / "m.kw")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_a_file_is_coded_as_a_frame():
    frame, y = lessons(1)
    columns = tuple(frame[name].to_numpy(float) for name in frame)
    words = np.array([f"class {label}" for label in y], dtype=object)
    table = Table((*frame.columns, "rated"), (*columns, words))
    learned = learn_encoding(table, target="rated")
    assert [one.name for one in learned.findings] == ["numbers as names"]
    encoder = learned.encoding.encoder
    assert [column.name for column in encoder.columns if column.is_words] == ["teacher", "course"]
    assert not any(column.is_text for column in encoder.columns if column.is_words)
    for how in ({"codes": False}, {"use": ["teacher", "course"]}, {"strict": True}):
        assert not learn_encoding(table, target="rated", **how).encoding.encoder.words


def test_numbers_as_targets_find_codes_too():
    random = np.random.default_rng(3)
    shop = random.integers(1, 21, 200)
    y = random.normal(size=21)[shop] + 0.3 * random.normal(size=200)
    frame = pd.DataFrame({"shop": shop, "area": random.normal(size=200)})
    model = TunedSVR("rbf").fit(frame, y)
    assert "numbers as names" in [finding.name for finding in model.diagnostics_]
    assert model.score(frame, y) > 0.5
