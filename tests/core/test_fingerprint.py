"""One hash of data, for journals and reports."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from kernelwise._core.journal import fingerprint


def test_fingerprints_differ_where_the_data_do():
    X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"])
    changed = X.copy()
    changed[2, 1] += 1e-12
    prints = [
        fingerprint(X, y),
        fingerprint(changed, y),
        fingerprint(X.reshape(2, 3), y),
        fingerprint(X, y[::-1][[0, 0, 1]]),
        fingerprint(X.astype(np.float32), y),
        fingerprint(sparse.csr_array(X), y),
        fingerprint(sparse.csr_array(changed), y),
    ]
    assert len(set(prints)) == len(prints)
    assert fingerprint(np.asfortranarray(X), y.astype(object)) == fingerprint(X.copy(), y)
