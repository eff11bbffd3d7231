"""Step 7: the final machine, trained on all rows that its time allows, and what its answers go by.

::

    approximate.py  machines of a part of the rows or on Nyström features, where an exact one takes too long
    blend.py        several settings in place of one: which of them, and the machine that they are together
    machine.py      the exact machine of classes or numbers, and its answers held out
    spread.py       for whom coverage holds, and how far predictions of numbers are off
    one_class.py    the machine of one class, its threshold, and what its scores mean
    threshold.py    costs of wrong answers, and the probability above which a class is answered
"""
