"""Step 7: the final machine, trained on all rows that its time allows, and what its answers go by.

::

    blend.py      several settings in place of one: which of them, and the machine that they are together
    machine.py    the machine of classes or numbers, exact or on Nyström features, and its answers held out
    spread.py     for whom coverage holds, and how far predictions of numbers are off
    one_class.py  the machine of one class, its threshold, and what its scores mean
    threshold.py  costs of wrong answers, and the probability above which a class is answered
"""
