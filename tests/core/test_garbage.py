"""Garbage collection pauses, and is afterwards as it was."""

from __future__ import annotations

import gc

import pytest

from kernelwise._core.threads import collection_paused


@pytest.fixture(params=[True, False])
def is_enabled(request):
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_pauses_and_leaves_as_it_was(is_enabled):
    with collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled() == is_enabled


def test_leaves_as_it_was_after_an_error(is_enabled):
    @collection_paused()
    def fails():
        assert not gc.isenabled()
        raise KeyError("inside")

    for _ in range(2):
        with pytest.raises(KeyError, match="inside"):
            fails()
        assert gc.isenabled() == is_enabled
