"""Files that cannot be used as they are."""

from __future__ import annotations

import pytest

from kernelwise.tables import TableError, learn_encoding, read_table


@pytest.fixture
def faults(tmp_path):
    """Write a file that cannot be used as it is, and return the lines on what is wrong with it."""

    def lines_of(contents, name="f.csv", **options):
        (tmp_path / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        with pytest.raises(TableError) as caught:
            learn_encoding(read_table(tmp_path / name), **options)
        text = str(caught.value).replace(f"{tmp_path}/", "")
        return text.splitlines()

    return lines_of
