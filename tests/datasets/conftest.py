"""Where the tests of the loader look for data files, or make sure that there are none."""

import pytest

from kernelwise.datasets import loader


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """An empty folder as the working directory, with the package in it and no data folder above either.

    Files that tests write there may have any values: `test_manifest` is about their hashes.
    """
    monkeypatch.setattr(loader, "_order", lambda name, X, y, where: "")
    monkeypatch.delenv(loader.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(loader, "__file__", str(tmp_path / "package" / "loader.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def find_or_skip():
    """Find a benchmark file, or the README beside them; skip the test where it is missing."""

    def find(name):
        path = loader._find_file("banknote" if name == "README" else name)
        if name == "README" and path is not None:
            path = path.with_name("README.md")
        if path is None or not path.is_file():
            pytest.skip(f"needs the benchmark file {name}: set KERNELWISE_DATA to the folder that holds it")
        return path

    return find
