"""What differs between classes, numbers and one class.

::

    family.py          `Family`: what the engine asks of one
    classification.py  classes
    regression.py      numbers
    one_class.py       rows of one kind, and what tells them from others
"""
