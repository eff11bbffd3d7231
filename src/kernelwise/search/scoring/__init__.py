"""What is maximised: scores of held-out decision values.

::

    scores.py            scores by name: which a search can go by, and short cuts along a path of C
    scorers.py           a scorer of decision values along a path of C, and of rows with weights
    held_out_answers.py  what scorers are shown: labels of classes, probabilities, or predictions
    probabilities.py     log odds by sigmoids that have not seen the rows; the log-loss
"""
