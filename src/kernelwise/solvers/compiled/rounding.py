"""What rounding may do, for compiled code and for Python: importing it takes no compiler."""

#: Relative: what rounding, of Σβ above all, may leave between a variable and its bound.
HAIR = 2.0**-40
#: Of labels ±1: a mean of f that is smaller is rounding, and no offset.
NO_OFFSET = 1e-14
