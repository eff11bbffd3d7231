"""What tests of dask share."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_thread():
    """BLAS threads that wait for a busy core take a hundred times as long as these small systems."""
    with threadpool_limits(1, user_api="blas"):
        yield


def chunked(array, chunks=400):
    """A dask array in chunks of rows."""
    import dask.array as da

    return da.from_array(array, chunks=(chunks, -1) if array.ndim == 2 else chunks)
