"""A study to run, and what it says."""

from __future__ import annotations

import pytest

from kernelwise.studies import study as studies


@pytest.fixture
def run():
    """Run parts of a study, quickly and silently."""

    def run_parts(name, *parts, is_quick=True, **options):
        return studies.run(name, is_quick, parts or None, say=lambda text: None, **options)

    return run_parts


@pytest.fixture
def rows():
    """The rows of a table."""
    return lambda study, name: study.tables[name].rows
