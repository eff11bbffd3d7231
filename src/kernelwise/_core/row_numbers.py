"""Columns of whole numbers that number the rows of a table, or identify them."""

from __future__ import annotations

import numpy as np

#: Larger floating-point numbers are all whole.
LARGEST_WHOLE = 2.0**53
#: Identifiers of 64 bits have up to twenty digits.
LARGEST_IDENTIFIER = 2.0**64


def numbers_rows(column: np.ndarray) -> bool | None:
    """Whether different whole numbers, shape (n_rows,), number the rows; None if they are anything else.

    They do if they follow each other without a gap, in whatever order, or if they rise (or fall) from the
    first row to the last; other different whole numbers identify the rows. Fractions are measurements: a
    table may be sorted.

    Examples
    --------
    >>> import numpy as np
    >>> [numbers_rows(np.array(column)) for column in ([3.0, 1.0, 2.0], [7.0, 1.0, 4.0], [1.0, 1.0, 2.0])]
    [True, False, None]
    """
    if not (column == np.floor(column)).all() or not (
        np.abs(column).max() < LARGEST_WHOLE or _are_long_numbers(column)
    ):
        return None
    steps = np.diff(column)
    if (steps > 0.0).all() or (steps < 0.0).all():
        return True
    if len(np.unique(column)) < len(column):
        return None
    return bool(column.max() - column.min() == len(column) - 1)


def _are_long_numbers(column: np.ndarray) -> bool:
    """Whether whole numbers beyond the exact ones are identifiers, such as barcodes of sixteen digits.

    These are positive and of about one length, and few of them are round; a measurement such as 1.24e18 is.
    """
    if column.min() < LARGEST_WHOLE / 1000.0 or column.max() >= LARGEST_IDENTIFIER:
        return False
    return bool((np.fmod(column, 1000.0) == 0.0).mean() < 0.1)
