"""What the tests that run scikit-learn's own checks share."""

from __future__ import annotations

import pytest
import sklearn

#: Marks tests of how many checks there are: their numbers are those of one version of scikit-learn.
checks_are_counted = pytest.mark.skipif(
    not sklearn.__version__.startswith("1.9."), reason="other versions of scikit-learn have other checks"
)
