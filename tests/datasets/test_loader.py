import dataclasses
import gzip
import os
import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from kernelwise.datasets import available, load
from kernelwise.datasets.loader import CODINGS
from kernelwise.datasets.manifest import FILES, PARTS, WITH_PARTS


def write_like(name, folder, value, suffix=".csv"):
    """Write a file with the size of a known data set, its features filled with one value."""
    entry = FILES[name]
    header = ",".join([*(f"f{k}" for k in range(entry.n_features)), "label"])
    row = ",".join([str(value)] * entry.n_features)
    text = "\n".join([header, *(f"{row},{i % entry.n_classes}" for i in range(entry.n_samples))]) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    raw = text.encode()
    (folder / f"{name}{suffix}").write_bytes(gzip.compress(raw) if suffix.endswith(".gz") else raw)


def test_environment_variable_comes_first(nowhere, monkeypatch):
    write_like("iris", nowhere / "mine", 1)
    write_like("iris", nowhere / "shared" / "data", 2)
    assert load("iris").X[0, 0] == 2
    monkeypatch.setenv("KERNELWISE_DATA", str(nowhere / "mine"))
    assert load("iris").X[0, 0] == 1


def test_the_environment_variable_can_name_several_folders(nowhere, monkeypatch):
    write_like("iris", nowhere / "first", 1)
    write_like("dna", nowhere / "second", 2)
    write_like("iris", nowhere / "second", 3)
    monkeypatch.setenv(
        "KERNELWISE_DATA", os.pathsep.join(str(nowhere / part) for part in ("first", "second"))
    )
    assert (load("iris").X[0, 0], load("dna").X[0, 0]) == (1, 2)


def test_the_second_shared_folder_is_looked_at(nowhere):
    write_like("dna", nowhere / "shared" / "data2", 4)
    assert load("dna").X[0, 0] == 4


def test_shared_folder_above_the_working_directory(nowhere, monkeypatch):
    write_like("dna", nowhere / "shared" / "data", 3, ".csv.gz")
    (nowhere / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(nowhere / "deep" / "down")
    found = load("dna")
    assert found.X.shape == (3186, 180)
    assert str(nowhere / "shared" / "data" / "dna.csv.gz") in found.source


def test_shared_folder_above_the_package(nowhere, monkeypatch, tmp_path_factory):
    write_like("dna", nowhere / "shared" / "data", 3)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert load("dna").X[0, 0] == 3


@pytest.mark.parametrize("folder_exists", [True, False])
def test_folder_without_the_file_is_passed_over_but_named(nowhere, monkeypatch, folder_exists):
    folder = nowhere / "mine"
    if folder_exists:
        folder.mkdir()
    monkeypatch.setenv("KERNELWISE_DATA", str(folder))
    assert "scikit-learn" in load("iris").source
    with pytest.raises(FileNotFoundError, match=re.escape(f"in {folder} (the value of KERNELWISE_DATA)")):
        load("dna")


def test_missing_file_says_what_where_and_what_to_do(nowhere):
    with pytest.raises(FileNotFoundError) as caught:
        load("letter", part="test")
    says = str(caught.value)
    for words in ("letter_test.csv or letter_test.csv.gz", "shared/data", "set the environment variable"):
        assert words in says
    assert "OpenML" not in says


def test_truncated_file_is_refused(nowhere):
    write_like("iris", nowhere / "shared" / "data", 1)
    path = nowhere / "shared" / "data" / "iris.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:100]))
    with pytest.raises(
        ValueError, match=r"iris.csv should hold 'iris' with .* \(150, 4, 3\), but has \(99, 4, 3\)"
    ):
        load("iris")


@pytest.mark.parametrize(("name", "bunch"), [("iris", load_iris()), ("optdigits_test", load_digits())])
def test_scikit_learn_copy_without_files(nowhere, name, bunch):
    X, y = load(name)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)
    assert X.dtype == np.float64
    assert y.dtype == np.int64


def test_parts_are_stacked_train_first(nowhere):
    write_like("thyroid_train", nowhere / "shared" / "data", 1, ".csv.gz")
    write_like("thyroid_test", nowhere / "shared" / "data", 2)
    whole = load("thyroid")
    assert whole.name == "thyroid"
    np.testing.assert_array_equal(whole.X[:, 0], np.repeat([1, 2], [3772, 3428]))
    np.testing.assert_array_equal(whole.y, np.r_[np.arange(3772) % 3, np.arange(3428) % 3])
    assert load("thyroid", part="test").name == load("thyroid_test").name == "thyroid_test"


def test_dataset_is_frozen_and_has_a_short_repr(nowhere):
    found = load("iris")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.name = "other"
    assert repr(found).startswith("Dataset(name='iris', source=")
    assert len(repr(found)) < 120
    assert len(found.feature_names) == 4


@pytest.mark.parametrize("name", sorted(set(FILES) - set(CODINGS)))
def test_every_file_has_the_size_its_description_states(find_or_skip, name):
    find_or_skip(name)
    description = find_or_skip("README").read_text(encoding="utf-8")
    cells = re.search(rf"^\| {name}\.csv\S* \| (\d+) x (\d+) \| (.*?) \|", description, re.MULTILINE)
    X, y = load(name)
    assert X.shape == (int(cells[1]), int(cells[2]))
    stated = {int(label): int(rows) for label, rows in re.findall(r"(-?\d+): (\d+)", cells[3])}
    labels, counts = np.unique(y, return_counts=True)
    if stated:
        assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == stated
    else:
        # "26 classes, 136 to 168 rows each" or "7 classes x 330"
        n_classes, *bounds = map(int, re.findall(r"\d+", cells[3]))
        assert len(labels) == n_classes
        assert (counts.min(), counts.max()) == (bounds[0], bounds[-1])


@pytest.mark.parametrize("name", WITH_PARTS)
def test_whole_set_from_files(find_or_skip, name):
    for part in PARTS:
        find_or_skip(f"{name}_{part}")
    whole, train, test = load(name), load(name, part="train"), load(f"{name}_test")
    assert whole.X.shape == available()[name][:2]
    np.testing.assert_array_equal(whole.X, np.vstack([train.X, test.X]))
    np.testing.assert_array_equal(whole.y, np.concatenate([train.y, test.y]))


@pytest.mark.parametrize(("name", "bunch"), [("iris", load_iris()), ("optdigits_test", load_digits())])
def test_file_equals_scikit_learn_copy(find_or_skip, name, bunch):
    path = find_or_skip(name)
    found = load(name)
    assert str(path) in found.source
    np.testing.assert_array_equal(found.X, bunch.data)
    np.testing.assert_array_equal(found.y, bunch.target)
