"""The colours of all figures, of reports and of studies."""

from __future__ import annotations

from functools import cache

import numpy as np

#: Okabe and Ito's colours, which colour-blind readers can tell apart, and three more for many classes.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#6b6b6b",
    "#332288",
    "#882255",
    "#999933",
)
INK, MUTED, FAINT = "#1f2a33", "#5c6873", "#c3cbd2"
#: Values of red, green and blue that further colours are made of, how light and how vivid these may be.
LEVELS, LIGHTNESS, VIVID = np.linspace(0, 255, 16), (30.0, 78.0), 70.0


def colour(k: int) -> str:
    """The colour of the k-th class or curve; beyond the palette, each as unlike all before it as can be."""
    return PALETTE[k] if k < len(PALETTE) else _more(k)[k - len(PALETTE)]


def rgb(code: str) -> tuple[int, int, int]:
    """Red, green and blue of a code such as #0072b2."""
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


@cache
def _more(k: int) -> list[str]:
    """Colours after the palette, up to the k-th."""
    free = np.stack(np.meshgrid(LEVELS, LEVELS, LEVELS), axis=-1).reshape(-1, 3)
    places = lab(free)
    fits = (places[:, 0] > LIGHTNESS[0]) & (places[:, 0] < LIGHTNESS[1])
    fits &= np.hypot(places[:, 1], places[:, 2]) < VIVID
    free, places = free[fits], places[fits]
    taken = lab(np.array([*map(rgb, PALETTE)], dtype=float))
    distance = np.linalg.norm(places[:, None] - taken, axis=-1).min(axis=1)
    found = []
    for _ in range(len(PALETTE), k + 1):
        best = int(np.argmax(distance))
        found.append("#" + "".join(f"{round(value):02x}" for value in free[best]))
        distance = np.minimum(distance, np.linalg.norm(places - places[best], axis=-1))
    return found


def lab(colours: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of colours from 0 to 255, shape (n, 3): distances there are about those that eyes see."""
    share = np.asarray(colours, dtype=float) / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = light @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = f.T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])
