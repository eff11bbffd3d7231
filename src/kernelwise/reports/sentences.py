"""What the page that answers says, in one place: its templates and its script take their sentences from here.

Braces hold what the script fills in.
"""

from __future__ import annotations

#: Of the section and of the page that is this section alone.
TRY = {
    "label": "Try it",
    "page": "kernelwise model",
    "heading": "What does the model say of another row?",
    "intro": (
        "Change a value: the answer follows. The form begins with a typical row. Nothing leaves this page."
    ),
    "has_rows": (
        "Rows of the training data are in this file: the {n} rows that the model keeps (support vectors) can "
        "be read in it. Do not give it to anyone who must not see them."
    ),
    "has_no_rows": (
        "This file holds no rows of the training data, only the ranges and the words of its columns."
    ),
    "has_new_rows": "The rows listed above, with the values of their columns, are in this file as well.",
    "absent": "This section cannot be asked here.",
    "too_large": (
        "The model takes {size} MB or more, and a page holds at most {most} MB. Train it with "
        "solver='nystroem' (on the command line --solver nystroem) for a smaller one, or predict with "
        "kernelwise."
    ),
    "no_script": "This section needs JavaScript, which is switched off here.",
    "form": "A row",
    "typical": "Typical row",
    "more": "{n} more columns",
    "answer": "Answer",
    "why": "What speaks for it",
    "why_numbers": "What moves it",
    "change": "What would change the answer",
    "near": "The nearest rows that the model keeps",
}
#: Of the script.
SAID = {
    "says": "“{label}”",
    "says_with": "“{label}”, with a probability of {percent}",
    "says_number": "{value}",
    "says_interval": "{value} (between {low} and {high} for 90 % of new rows)",
    "says_quantile": "{value} ({q} quantile)",
    "of_target": "{target}: {said}",
    "usual": "usual",
    "unusual": "unusual",
    "probability": "probability of being unusual",
    "percent": "{value} %",
    "missing": "missing",
    "other": "another word",
    "no_text": "no text",
    "unknown": "not kept",
    "slider": "{name}, slider",
    "range": "{low} to {high} in the training rows",
    "outside": "outside the training rows, which have {low} to {high}",
    "filled": "empty counts as {value}",
    "gap": "empty means missing",
    "unlike": (
        "This row is unlike the training rows: it is farther from all rows that the model keeps than any of "
        "them. Do not rely on the answer."
    ),
    "unlike_column": (
        "This row is unlike the training rows: {names} is far outside their range. Do not rely on the answer."
    ),
    "no_bars": (
        "The kernel of this model is not a product over columns, so there are no exact contributions of "
        "single columns."
    ),
    "others": "{n} other columns",
    "bars": (
        "Bars to the right speak for “{label}”, bars to the left against it. They are exact Shapley values: "
        "how much each column adds to the {unit} of “{label}”, compared with {n} rows that the model keeps. "
        "They lead from {start} to {end}."
    ),
    "bars_numbers": (
        "Bars to the right raise the {unit}, bars to the left lower it. They are exact Shapley values, "
        "compared with {n} rows that the model keeps. They lead from {start} to {end}."
    ),
    "bars_usual": (
        "Bars to the left make the row unusual. They are exact Shapley values: how much each column adds to "
        "the score of the row, compared with {n} rows that the model keeps."
    ),
    "odds": "log odds",
    "decision": "decision value",
    "prediction": "prediction",
    "quantile": "{q} quantile",
    "logarithm": "logarithm of the {of}",
    "flip": "{name}: {to} instead of {from} makes it “{label}”",
    "no_flip": "No change of one column alone, within its range, changes the answer.",
    "only_one": "These are changes of one column alone, the smallest first, as a share of its range.",
    "column": "column",
    "your_row": "this row",
    "use": "use “{label}”",
    "use_number": "use {value}",
    "near_note": (
        "Nearest by the measure of the kernel, with what the model answers for them. The button above a row "
        "copies it into the form."
    ),
}
#: Of the page on predictions. Those of lists have the label before the colon, and the heading behind it.
PREDICTED = {
    "label": "kernelwise predictions",
    "title": "The predictions for {rows}",
    "title_of": "The predictions of {target} for {rows}",
    "spread_label": "Distribution",
    "spread": "How many rows have which prediction",
    "spread_quantile": "How many rows have which {q:g} quantile",
    "says_quantile": "q{q:g}\u00a0=\u00a0{value}",
    "between": "{low} to {high}",
    "says_interval": "{answer} ({low} to {high})",
    "says_set": "{answer} (set: {labels})",
    "no_class": "no class",
    "covers": "{what} of {share:g} %, in brackets, contain the truth for about {share:g} % of {whom}.",
    "others": "other classes",
    "most classes": "Most sure: The rows that the model is most sure of",
    "least classes": "Least sure: The rows that the model is least sure of",
    "most numbers": "Highest: The rows with the highest predictions",
    "least numbers": "Lowest: The rows with the lowest predictions",
    "most one class": "Most unusual: The rows that are most likely to be unusual",
    "least one class": "Most usual: The rows that are least likely to be unusual",
    "unlike": "Unlike the training rows: Do not rely on the predictions for these rows",
    "more": "And {n} more.",
    "click": (
        "A click on a row puts its values into the form below, which says what speaks for its prediction."
    ),
    "says": "“{label}”",
    "says_with": "“{label}”, probability {p}",
    "says_unusual": "{label} (probability of being unusual {p})",
    "usual": "usual",
    "unusual": "unusual",
}
