"""Drawings: places, ticks, colours and pictures, by hand or by what they stand for."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.reports.drawing import Chart, Scale, colour, lab, linear, logarithmic, png_address, zero_line
from kernelwise.reports.figures import shape_of

from .conftest import SCRIPT


@pytest.mark.parametrize(
    ("scale", "texts"),
    [
        (Scale(-0.02, 1.02), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (Scale(-310.0, 250.0), ["−300", "−200", "−100", "0", "100", "200"]),
        (Scale(-2.1, 4.1, is_log=True), ["0.01", "0.1", "1", "10", "100", "1000", "10⁴"]),
        (Scale(-9.0, 5.0, is_log=True), ["10⁻⁹", "10⁻⁶", "0.001", "1", "1000"]),
        (Scale(0.2, 0.8, is_log=True), ["2", "5"]),
        (Scale(2e7, 9e7), ["2e+07", "4e+07", "6e+07", "8e+07"]),
    ],
)
def test_ticks_are_round_numbers_at_their_places(scale, texts):
    ticks = scale.ticks()
    assert [text for _, text in ticks] == texts
    places = np.array([place for place, _ in ticks])
    assert ((places >= 0) & (places <= 1)).all()
    assert (np.diff(places) > 0).all()


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [np.nan], [1e300, 1.0], [-1e-300, 1e-300]])
def test_every_axis_has_a_range_and_numbers(values):
    scale = linear(values)
    assert scale.high > scale.low
    assert scale.ticks()
    assert logarithmic([2.0, 2.0]).ticks()


def test_places_are_shares_of_the_axis():
    assert_allclose(Scale(1.0, 3.0).places([1.0, 2.5, 4.0]), [0.0, 0.75, 1.0])
    assert_allclose(Scale(-1.0, 3.0, is_log=True).places([1.0, 100.0]), [0.25, 0.75])
    assert np.isnan(Scale(-1.0, 3.0, is_log=True).places([-1.0])).all()


def test_chart_is_well_formed_and_all_its_texts_are_text():
    chart = Chart(Scale(0, 1), Scale(0, 1), SCRIPT, SCRIPT)
    chart.key(SCRIPT, "circle", colour(0))
    chart.line([0.0, np.nan, 0.5, 1.0], [0.0, 0.0, 0.5, 1.0], colour(0))
    chart.dots([0.25, np.nan], [0.5, 0.5], [SCRIPT, "nowhere"])
    markup = chart.markup()
    tree = ElementTree.fromstring(f"<body>{markup}</body>")
    assert SCRIPT not in markup
    assert [element.text for element in tree.iter("title")] == [SCRIPT]
    assert [element.text for element in tree.iter("text")].count(SCRIPT) == 2
    # Two points and a gap: the line begins twice, and the dot is where its values are.
    assert re.search(r'd="(M0\.0 1000\.0)(M500\.0 500\.0)(L1000\.0 0\.0)"', markup)
    assert 'x="25.00%" y="50.00%"' in markup


def test_picture_has_the_bytes_of_its_cells():
    cells = np.random.default_rng(0).integers(0, 256, size=(3, 5, 4)).astype(np.uint8)
    data = base64.b64decode(png_address(cells).split(",", 1)[1])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(data):
        (size,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size : place + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind], place = body, place + 12 + size
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (5, 3, 8, 6, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(3, 21)
    assert_array_equal(rows[:, 1:].reshape(3, 5, 4), cells)


def test_zero_line_of_a_plane_is_where_it_is_zero():
    i, j = np.meshgrid(np.arange(9.0), np.arange(7.0))
    pieces = zero_line(2.0 * i - 3.0 * j + 0.7)
    ends = pieces.reshape(-1, 2)
    assert_allclose(2.0 * ends[:, 0] - 3.0 * ends[:, 1] + 0.7, 0.0, atol=1e-12)
    # The line crosses the grid from j = 0.7/3 at i = 0 to i = 8, without gaps.
    assert np.linalg.norm(pieces[:, 0] - pieces[:, 1], axis=1).sum() == pytest.approx(np.hypot(8, 16 / 3))
    assert zero_line(np.ones((4, 4))).shape == (0, 2, 2)


def test_no_two_classes_look_alike():
    marks = [(colour(k), shape_of(k)) for k in range(40)]
    assert len({code for code, _ in marks}) == 40
    codes = np.array([[int(code[i : i + 2], 16) for i in (1, 3, 5)] for code, _ in marks])
    distance = np.linalg.norm(lab(codes)[:, None] - lab(codes), axis=-1)
    np.fill_diagonal(distance, np.inf)
    assert distance.min() > 15  # a difference of about 2 can be seen side by side
    assert [shape for _, shape in marks[8:12]] == ["circle", "circle", "square", "square"]


def test_lab_of_known_colours():
    expected = [[100, 0, 0], [53.24, 80.09, 67.2], [32.3, 79.19, -107.86]]
    assert_allclose(lab(np.array([[255, 255, 255], [255, 0, 0], [0, 0, 255]])), expected, atol=0.05)
