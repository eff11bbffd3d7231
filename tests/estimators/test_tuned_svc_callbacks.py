"""scikit-learn's callbacks, where it has them."""

from __future__ import annotations

import importlib
import io
import sys

import pytest

from kernelwise import TunedSVC
from kernelwise._core import sklearn_compat as _sklearn_compat


def test_scikit_learn_without_callbacks(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "sklearn.callback", None)
        old = importlib.reload(_sklearn_compat)
        assert not hasattr(old.CallbackSupportMixin, "set_callbacks")
        assert old.with_callbacks(len) is len
    importlib.reload(_sklearn_compat)


class Recorder:
    """Remembers the tasks it is told about."""

    def __init__(self):
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.events.append(f"end {context.task_name}")


def test_a_task_for_every_kernel(blobs):
    pytest.importorskip("sklearn.callback")
    recorder = Recorder()
    model = TunedSVC(Cs=[1.0]).set_callbacks(recorder).fit(*blobs)
    n_kernels = len(model.cv_results_["params"])
    kernels = ["begin kernel", "end kernel"] * n_kernels
    refit = ["begin refit", "end refit"]
    assert recorder.events == ["setup", "begin fit", *kernels, *refit, "end fit", "teardown"]


def test_callbacks_end_after_an_error(blobs):
    pytest.importorskip("sklearn.callback")
    recorder = Recorder()
    with pytest.raises(ValueError, match="'Cs' of TunedSVC is empty"):
        TunedSVC(Cs=[]).set_callbacks(recorder).fit(*blobs)
    assert recorder.events == ["setup", "begin fit", "teardown"]


def test_a_progress_bar(blobs, monkeypatch):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdout", screen)
    TunedSVC(Cs=[1.0]).set_callbacks(callback.ProgressBar()).fit(*blobs)
    assert "TunedSVC" in screen.getvalue()
