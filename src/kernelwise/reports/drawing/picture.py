"""Pictures of cells: an image for areas of colour, and the line along which values change their sign."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np


def png_address(colours: np.ndarray) -> str:
    """An image as an address that holds its data: RGBA bytes of shape (height, width, 4), top row first."""
    height, width = colours.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = np.ascontiguousarray(colours, dtype=np.uint8).reshape(height, 4 * width)
    data = zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 9)  # each row begins with its filter, none
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunks).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zero_line(values: np.ndarray) -> np.ndarray:
    """Pieces of the line where values are 0, shape (n_pieces, 2, 2): ends as (column, row) of the grid.

    Values are interpolated linearly along the sides of each cell (marching squares).
    """
    pieces = []
    for j, i in np.argwhere(_changes(values)):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        ends = [_crossing(values, a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        found = [end for end in ends if end is not None]
        pieces += [found[k : k + 2] for k in range(0, len(found) - 1, 2)]
    return np.array(pieces, dtype=float).reshape(-1, 2, 2)


def _changes(values: np.ndarray) -> np.ndarray:
    """Cells whose four corners are not all on one side, shape (n_rows − 1, n_columns − 1)."""
    above = (values > 0).astype(int)
    n = above[1:, 1:] + above[1:, :-1] + above[:-1, 1:] + above[:-1, :-1]
    return (n > 0) & (n < 4)


def _crossing(values: np.ndarray, a: tuple[int, int], b: tuple[int, int]) -> tuple[float, float] | None:
    """Where values are 0 between two corners; None if both are on one side."""
    at_a, at_b = float(values[a[1], a[0]]), float(values[b[1], b[0]])
    if (at_a > 0) == (at_b > 0):
        return None
    t = at_a / (at_a - at_b)
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
