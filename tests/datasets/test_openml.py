import http.client
import urllib.request
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernelwise.datasets import load, loader
from kernelwise.datasets.loader import CODINGS
from kernelwise.datasets.manifest import FILES, SOURCES


def answer_with(monkeypatch, data, target):
    calls = []

    def fetch_openml(**arguments):
        calls.append(arguments)
        names = [f"V{k}" for k in range(data.shape[1])]
        return Bunch(data=data, target=target, feature_names=names)

    monkeypatch.setattr(loader, "fetch_openml", fetch_openml)
    return calls


@pytest.fixture
def planning_relax():
    """Data of the right size, with the classes as strings in an order of their own."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((182, 12)), rng.permutation(np.repeat(["1", "2"], [130, 52])).astype(object)


def test_download_gets_our_labels(nowhere, monkeypatch, planning_relax):
    data, target = planning_relax
    calls = answer_with(monkeypatch, data, target)
    found = load("planning_relax")
    assert [call["data_id"] for call in calls] == [1490]
    np.testing.assert_array_equal(found.X, data)
    np.testing.assert_array_equal(found.y, target.astype(int))
    assert "OpenML data set 1490" in found.source


def test_class_names_take_our_codes_in_sorted_order(nowhere, monkeypatch):
    target = np.repeat(["present", "absent"], [120, 150])
    answer_with(monkeypatch, np.zeros((270, 13)), target)
    _, y = load("heart_statlog")
    np.testing.assert_array_equal(y, np.where(target == "absent", 1, 2))


def test_wrong_size_is_an_error(nowhere, monkeypatch, planning_relax):
    data, target = planning_relax
    answer_with(monkeypatch, data[:, :11], target)
    with pytest.raises(
        ValueError, match=r"1490 should be 'planning_relax' of shape \(182, 12\).*\(182, 11\)"
    ):
        load("planning_relax")


def test_exchanged_classes_are_an_error(nowhere, monkeypatch, planning_relax):
    data, target = planning_relax
    answer_with(monkeypatch, data, np.where(target == "1", "2", "1"))
    with pytest.raises(ValueError, match=r"counts \[130, 52\].*counts \[52, 130\]"):
        load("planning_relax")


@pytest.mark.parametrize(
    "failure", [URLError("no route"), TimeoutError("slow"), http.client.IncompleteRead(b"", 5)], ids=repr
)
def test_offline_ends_in_the_sentence_about_the_file(nowhere, monkeypatch, failure):
    def fetch_openml(**_):
        raise failure

    monkeypatch.setattr(loader, "fetch_openml", fetch_openml)
    with pytest.raises(
        FileNotFoundError, match=r"OpenML could not be reached.*set the environment variable"
    ) as caught:
        load("banana")
    assert caught.value.__cause__ is failure


@pytest.mark.slow
def test_offline_with_the_real_fetch_openml(nowhere, monkeypatch):
    def no_network(*_, **__):
        raise URLError("no route")

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", no_network)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(nowhere / "cache"))
    with pytest.raises(FileNotFoundError, match=r"OpenML could not be reached \(.*no route"):
        load("banana")


def test_other_failures_are_not_hidden(nowhere, monkeypatch):
    def fetch_openml(**_):
        raise KeyError("a fault in the code")

    monkeypatch.setattr(loader, "fetch_openml", fetch_openml)
    with pytest.raises(KeyError):
        load("banana")


def test_table_agrees_with_the_catalog():
    for name in (name for name, source in SOURCES.items() if source.openml):
        counts = dict(SOURCES[name].openml_classes)
        # Rows with a gap are in the copy and not in the data set.
        n_gaps = {"breast_cancer_wisconsin": 16}.get(name, 0)
        expected = CODINGS[name].n_rows if name in CODINGS else FILES[name].n_samples + n_gaps
        assert sum(counts.values()) == expected
        assert len(counts) == FILES[name].n_classes
