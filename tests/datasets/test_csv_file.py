import gzip

import numpy as np
import pytest

from kernelwise.datasets.loader import read_csv

GOOD = "length,width,label\n1.5,2,-1\n3,-4e-3,1\n"


@pytest.fixture
def write(tmp_path):
    def write_file(contents, name="some.csv"):
        path = tmp_path / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return path

    return write_file


@pytest.mark.parametrize(
    ("contents", "name"),
    [
        (GOOD, "plain.csv"),
        (gzip.compress(GOOD.encode()), "packed.csv.gz"),
        (GOOD.replace("\n", "\r\n"), "windows.csv"),
        (GOOD + " \n\n", "blank_lines_at_the_end.csv"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "byte_order_mark.csv"),
    ],
    ids=["plain", "packed", "windows", "blank-lines-at-the-end", "byte-order-mark"],
)
def test_reads_features_labels_and_names(write, contents, name):
    X, y, feature_names = read_csv(write(contents, name))
    np.testing.assert_array_equal(X, [[1.5, 2], [3, -4e-3]])
    np.testing.assert_array_equal(y, [-1, 1])
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert feature_names == ("length", "width")


def test_one_sample_is_a_table_of_one_row(write):
    X, y, _ = read_csv(write("a,label\n5,1\n"))
    assert X.shape == (1, 1)
    assert y.shape == (1,)


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        ("", "line 1: expected a header"),
        ("a,b\n1,2\n", "line 1: expected a header of feature names that ends in 'label'"),
        ("label\n1\n", "line 1: expected a header"),
        ("a,label\n", "line 2: expected samples after the header"),
        ("a,label\n1,2\n1,2,3\n", "line 3: expected 2 values as in the header, found 3"),
        ("a,b,label\n1,2\n3,4\n", "line 2: expected 3 values as in the header, found 2"),
        ("a,label\n1,2\n\nx,2\n", "line 4: expected numbers only, found 'x,2'"),
        ("a,label\n1,2\n,2\n", "line 3: expected numbers only"),
        ("a,label\n1,2\n# note,2\n", "line 3: expected numbers only"),
        ("a,label\n1,2\nnan,2\n", "line 3: expected finite features and an integer label"),
        ("a,label\n1,2\n1,2.5\n", "line 3: expected finite features and an integer label"),
        (b"a,label\n1,2\n\xff,2\n", "line 3: not UTF-8"),
    ],
)
def test_broken_file_is_named_with_the_line(write, contents, says):
    with pytest.raises(ValueError, match=f"some.csv, {says}"):
        read_csv(write(contents))


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[:-12], lambda raw: b"no gzip", lambda raw: raw[:10] + b"\x07" * 30]
)
def test_broken_gzip_is_named(write, damage):
    with pytest.raises(ValueError, match=r"some.csv.gz is not a (complete )?gzip file"):
        read_csv(write(damage(gzip.compress(GOOD.encode())), "some.csv.gz"))
