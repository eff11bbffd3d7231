"""The catalogue of findings: every name, severity and sentence that users are told, one entry each.

Fields in braces are values that whoever finds something gives; see `kernelwise.findings.Entry`. Several
entries may have one name, if a user should look at them as one kind. An ``option`` is the advice for the
command line, where it differs. Entries are in the order of the rooms that find them, from the ground up.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from kernelwise.findings import Entry

info = partial(Entry, severity="info")
warning = partial(Entry, severity="warning")
error = partial(Entry, severity="error")

# -- columns of a table: tables/warnings.py ------------------------------------------------------------------

WHOLE_NUMBERS = info(
    "whole numbers that may be words",
    "{n:Column|Columns} {columns} {n:holds|hold} few whole numbers, which count as numbers: 3 is further "
    "from 1 than from 2.",
    "If they are codes of classes, name the columns in categorical_features, as in [{names}], or give them "
    "the dtype 'category'.",
    "If they are codes of classes, name them with --words {typed}.",
)
WORDS_NAME_ROWS = warning(
    "words that name rows",
    "{n:Column|Columns} {columns} {n:has|have} a different word in nearly every row, like names or "
    "identifiers.",
    "Leave {n:it|them} out, because words that occur only once count as one word.",
    "Leave {n:it|them} out with --ignore {typed}, because words that occur only once count as one word.",
)
EMPTY_COLUMNS = info(
    "empty columns",
    "{n:Column|Columns} {columns} {n:has|have} no values.",
    "Leave {n:it|them} out.",
    "Leave {n:it|them} out with --ignore {typed}.",
)
MOSTLY_EMPTY = info(
    "mostly empty",
    "{n:Column|Columns} {columns} {n:is|are} empty in most of the {n_rows} rows: the model learns little "
    "more than whether there is a value.",
    "Leave {n:it|them} out, unless values will be missing in new rows for the same reasons.",
    "Leave {n:it|them} out with --ignore {typed}, unless values will be missing in new rows for the same "
    "reasons.",
)

MISSING_CODES = warning(
    "codes for missing values",
    "{columns} {n:has|have} a number far from all others that repeats, like a code for a missing value.",
    "If it is one, make it NaN, as in X.replace({code}, numpy.nan): now it counts as a number.",
    "If it is one, add --missing={codes}: now it counts as a number.",
)

# -- what was done to a raw table: tables/settle.py, tables/judge.py -----------------------------------------

#: Columns that nobody will miss, and those that somebody may.
HARMLESS_LEFT_OUT = info(
    "columns left out", "{n:# column was|# columns were} left out, which cannot help: {columns}."
)
UNHELPFUL_LEFT_OUT = info(
    "columns left out",
    "{n:# column was|# columns were} left out, because held-out rows are predicted better without "
    "{n:it|them}: {columns}.",
    "To use {n:it|one of them} nevertheless, give what matters of it as numbers, such as the month.",
    "To use {n:it|one of them} nevertheless, name it with --use, as in --use {typed}.",
)
COLUMNS_LEFT_OUT = replace(
    HARMLESS_LEFT_OUT,
    severity="warning",
    advice="To use {n:it|one of them} nevertheless, declare what it holds, as in {declared}.",
    option="To use {n:it|one of them} nevertheless, name it with --use, as in --use {typed}.",
)
CELLS_MISSING = warning(
    "cells that count as missing",
    "Column {column!r} has {n:# cell that is|# cells that are} no {kind} and now {n:counts|count} as missing "
    "({what}; {where}).{limits}",
)
READ_AS_NUMBERS = info("texts read as numbers", "Read as numbers: {columns}.")
READ_AS_DATES = info("texts read as dates", "Read as dates: {columns}.")
READ_AS_TIMES = info("texts read as times of the day", "Read as times of the day: {columns}.")
CURRENCIES = warning(
    "several currencies",
    "Column {column!r} has amounts in {signs}, which were read as numbers and not converted.",
    "Convert them to one currency.",
)
DATES_GUESSED = warning(
    "order of day and month",
    "The dates of column {column!r} (such as {first}) were read with the {order}. That is a guess: no day is "
    "above 12.",
    "If it is wrong, write them as in 2024-01-31.",
)
CODES_AS_WORDS = info("codes as words", "Codes with zeros in front, which count as words: {columns}.")
CODES_BY_ROWS = info(
    "numbers as names",
    "Whole numbers in {columns} count as words, because held-out rows are predicted better if {n:its|their} "
    "order does not matter.",
    "If {n:it is a quantity|they are quantities}, use categorical_features=None, or name the columns in it "
    "that hold words.",
    "If {n:it is a quantity|they are quantities}, name {n:it|them} with --use.",
)
TEXT_BY_LETTERS = info(
    "text by letters",
    "Groups of letters of the text in {columns} are features, because they help on held-out rows.",
)

# -- columns of a training file: tables/warnings.py. What they say follows the place in the file. ------------

MOSTLY_FILLED = warning(
    "mostly empty",
    "{n_missing} of {n_rows} values are missing, and {fill} replaces all of them. Leave it out with --ignore "
    "{typed}.",
)
WORDS_IN_TWO_WAYS = warning(
    "words written in two ways",
    "{groups} differ only in capitals or spaces but count as different{more}. Write them in the same way if "
    "they are the same.",
)
LABELS_IN_TWO_WAYS = replace(WORDS_IN_TWO_WAYS, name="labels written in two ways")
NUMBERS_STORED_AS_TEXT = warning(
    "numbers as words",
    "{subject} counts as words, because the file stores its numbers as text. If they are quantities, store "
    "them as numbers.",
)
NUMBERS_AS_WORDS = warning(
    "numbers as words",
    "{subject} counts as words, though most of its cells are numbers (but {odd}). If such a text means a "
    "missing value, add it to --missing.",
)
DATES_AS_WORDS = warning(
    "dates as words",
    "it holds dates or times, such as {date}, which count as words, but new rows will have other ones. "
    "Convert it to a number, or leave it out with --ignore {typed}.",
)
UNITS_AS_WORDS = warning(
    "units as words", "its numbers have the unit {unit}, and count as words. Remove the unit from the cells."
)
COLUMN_OF_ROW_NUMBERS = warning(
    "row numbers",
    "it numbers the rows, and new rows will have other numbers. Leave it out with --ignore {typed}.",
)

# -- the search of an optimizer: criteria/machine.py, optimizers/base.py -------------------------------------

#: Advice on a criterion that misleads, for Python and for the command line.
BY_CROSS_VALIDATION = (
    "Use criterion='auto', which lets cross-validation choose.",
    "Use --criterion auto, which lets cross-validation choose.",
)
_WITHOUT_CRITERION = "Leave out --criterion, so that cross-validation chooses."
RIDGE = warning(
    "ridge",
    "The kernel matrix of the free support vectors was singular at points of the search; {ridge:.0e} of its "
    "mean diagonal was added for the gradient.",
    "Look for repeated samples, or exclude such wide kernels with bounds.",
    "Look for repeated rows, or leave out --criterion.",
)
MAX_ITER = warning(
    "max_iter",
    "{optimizer} stopped after {n_iterations} iterations before it converged.",
    "Raise max_iter or rescale X.",
    _WITHOUT_CRITERION,
)
NO_PROGRESS = warning(
    "no progress",
    "{optimizer} stopped after {n_iterations} iterations, because no step lowered the cost.",
    "Rounding may hide further progress. Rescale X, or use other starts (n_restarts).",
    _WITHOUT_CRITERION,
)
PLATEAU = warning(
    "plateau",
    "{criterion} has no peak in the range; it is flat where {optimizer} stopped.",
    "Look for duplicate points or label noise, or use another criterion.",
    _WITHOUT_CRITERION,
)
#: The end of a search that is no optimum inside the range, by the reason that an optimizer stopped for.
STOPPED = {entry.name: entry for entry in (MAX_ITER, NO_PROGRESS, PLATEAU)}
CONSTANT_CRITERION = warning(
    "constant criterion",
    "The criterion {criterion} has the same value at all {n} points that the search tried, so it has chosen "
    "nothing.",
    *BY_CROSS_VALIDATION,
)
UNDEFINED = info(
    "undefined",
    "The criterion was undefined at {n_points} of the points that the search tried, because all samples "
    "coincide in feature space there. The search avoided these points.",
)
FEATURE_IGNORED = info("boundary", "{parameter} is at its lowest value: the feature is ignored.")
AT_BOUND = warning(
    "boundary",
    "The best {parameter} is the {is_low:lowest|highest} of its range.",
    "Widen the range with bounds={{{parameter!r}: (low, high)}}, or do not trust the criterion.",
    _WITHOUT_CRITERION,
)

# -- rows and folds of a search: search/data, distributed/fit.py ---------------------------------------------

EMPTY_FOLDS = info(
    "empty folds",
    "{n:# fold holds|# folds hold} out none of the rows that the search chose kernel and C on, and did not "
    "count.",
    "Use fewer folds (cv).",
)
FOLDS_OF_ONE_CLASS = warning(
    "folds of one class",
    "{n:# fold of 'cv' trains|# folds of 'cv' train} on samples of one class only, and did not count.",
    "Use folds with samples of two classes or more in each training part.",
)
NEAR_COPIES = warning(
    "near copies",
    "{n} rows are near copies of each other, in {n_groups:# group|# groups}: they are far closer than rows "
    "of these data usually are, as repeated measurements are. Each group is kept in one fold, because the "
    "score would otherwise be that of rows that the model has seen.",
    "If there is a column that says which rows belong together, pass it to fit as groups; otherwise remove "
    "the copies.",
    "If there is a column that says which rows belong together, name it with --group; otherwise remove the "
    "copies.",
)
SAMPLED = info(
    "sampled",
    "The search chose kernel and C on a {is_stratified:stratified sample|sample} of {n_sampled} of {n_rows} "
    "distinct rows. The final model is trained on "
    "{has_deadline:as many rows as the time budget allows|all rows}.",
)
SEARCH_IN_MEMORY = info(
    "search in memory",
    "memory_limit={memory_limit:g} (MiB) allows the search to look at {n_rows} rows, fewer than usual.",
    "Raise memory_limit to let it look at more.",
)
CHUNKS_OF_CLASSES = info(
    "chunks",
    "The search chose scaling, kernel and C on a stratified sample of about {n_sampled} of {n_rows} rows. It "
    "looked at random blocks of pairs of all rows for kernel widths to try.",
)
CHUNKS_OF_NUMBERS = info(
    "chunks", "The search chose scaling, kernel, C and ε on a sample of about {n_sampled} of {n_rows} rows."
)
CHUNKS_OF_CLASSES_EXACT = replace(
    CHUNKS_OF_CLASSES,
    severity="warning",
    message=f"{CHUNKS_OF_CLASSES.message} The final model is trained on that sample only.",
    advice="Use solver='auto' to train on all rows.",
)
CHUNKS_OF_NUMBERS_EXACT = replace(
    CHUNKS_OF_NUMBERS,
    severity="warning",
    message=f"{CHUNKS_OF_NUMBERS.message} The final model is trained on that sample only.",
    advice="Use solver='auto' to train on all rows.",
)

# -- what a search tries: search/choose.py, search/propose ---------------------------------------------------

UNUSED_SEARCH = warning(
    "unused search",
    "'search' had no effect: it is the optimizer of a criterion, and {criterion!r} uses none.",
    "Set a criterion, such as 'kta'.",
)
#: A criterion without a peak over all widths, by the reason.
NO_PEAK = {
    reason: warning(
        reason,
        "The criterion {criterion} has no peak: its best γ, {gamma:.4g}, is at the edge of the range.",
        *BY_CROSS_VALIDATION,
    )
    for reason in ("plateau", "boundary")
}
WORSE_C = warning(
    "worse-C",
    "The criterion found C = {C:.4g} together with the kernel, but the cross-validated score of "
    "C = {C_chosen:.4g}, which the search chose, is higher by {gap:.2g}.",
    *BY_CROSS_VALIDATION,
)
SCREENED_COLUMNS = info(
    "screened columns",
    "{n_found} of {n_columns} columns {n_found:has|have} to do with the target by more than chance.",
    "Columns that matter only together may be among the others.",
)
EARLY_STOPPING = info(
    "early stopping",
    "The search stops after {n_iterations} iterations, where it classified held-out samples best.",
)
CONSTANT_FEATURES = info(
    "constant features",
    "{n_constant} of {n_features} features are constant and have no influence on the model.",
    "Check them if they should vary.",
    "Check them if they should vary, or leave them out with --ignore.",
)

# -- the final model of a fit: estimators --------------------------------------------------------------------

NYSTROEM = info(
    "nystroem",
    "The final model is an approximation by {n_landmarks} landmark rows (Nyström), {reason}.{compared}",
    "For an exact model, use solver='exact' and no time_budget, or a longer one.",
    "For an exact model, use --solver exact and no --time-budget, or a longer one.",
)
NO_BLEND = warning("no blend", "The final model is no blend, although you asked for one, because {reason}.")
PART_OF_ROWS = info(
    "part of rows",
    "The search chose kernel and C on a sample of {n_sampled} of {n_rows} distinct rows. The final model is "
    "an exact one of {n_part} rows, with C = {C:.4g}. An approximation by landmark rows (Nyström) "
    "was worse on a sample.{compared}",
    "For an exact model of all rows, use solver='exact' and no time_budget, or a longer one.",
    "For an exact model of all rows, use --solver exact and no --time-budget, or a longer one.",
)
NYSTROEM_FOLDS = info(
    "nystroem folds",
    "C and the probabilities of the final model come from rows held out at random, not by 'cv'.",
    "Use solver='exact' if rows belong to groups or are ordered in time.",
    "Use --solver exact if rows belong to groups or are ordered in time.",
)
FLAT_PROBABILITIES = info(
    "flat probabilities",
    "The probabilities of {n_flat} of {n_models:# two-class model|# two-class models} are little more than "
    "the shares of the classes, because these models cannot separate the classes of held-out rows.",
    "Use decision_function to rank samples, or train on more samples of the rare classes.",
    "Do not rely on the probabilities of predict --proba, or train on more rows of the rare classes.",
)
THRESHOLD = info(
    "threshold",
    "The model predicts {label!r} where its probability is above {threshold:.3g} ± {error:.2g}. This scores "
    "{score:.4g} on held-out rows; a threshold of one half scores {score_at_half:.4g}.",
)
THRESHOLD_AT_END = warning(
    "threshold at the end",
    "The threshold {threshold:.3g} is at the end of its range, so the model hardly ever predicts one of the "
    "classes.",
    "Use another score, or set the threshold yourself.",
)
CLASS_WEIGHTS = info(
    "class weights", "Cross-validation chose class_weight={class_weight!r} (scores: {scores})."
)
WHOLE_NUMBER_TARGETS = info(
    "whole-number targets",
    "The targets are {n:# different whole number|# different whole numbers}, treated as "
    "{are_classes:classes|numbers}.",
    "Use task={other!r} if they are not.",
)
TIME_BUDGET = warning(
    "time budget",
    "The time budget of {seconds:g} s was too short for {skipped}.",
    "Raise time_budget for a better model.",
    "Raise --time-budget for a better model.",
)
NOT_CONVERGED = warning(
    "not converged",
    "In cross-validation, {n_stopped} of {n_models} models stopped before they converged.",
    "Raise max_iter or tol, or pass Cs without the largest values.",
    "Leave out the largest values of C with --log2c.",
)
WEIGHTS_UNDONE = warning(
    "weights undone",
    "The classes have different weights, but the search maximised accuracy, which counts all rows equally. "
    "It may have chosen a kernel and C that undo the weights.",
    "Use scoring='balanced_accuracy'.",
    "Use --scoring balanced_accuracy.",
)
LABELS_BY_PROBABILITY = warning(
    "labels by probability",
    "The model predicts the most likely class, and these labels score {score:.4g}. The search compared "
    "models by the signs of their decision values, and those labels score {searched:.4g}. The two differ for "
    "{n_changed:g} of {n_rows:# row|# rows}.",
    "Use {ways}.",
    "Use {options}.",
)
#: Ways out of it, which are listed in ``ways`` and ``options`` if they suit.
BY_DECISION = "predict_by='decision' to get the latter labels"
WITH_WEIGHTS = (
    "class_weight='balanced', because some classes have far fewer rows than others",
    "--class-weight balanced, because some classes have far fewer rows than others",
)
BY_RANKING = (
    "a score that ranks rows, such as scoring='roc_auc'",
    "a score that ranks rows, such as --scoring roc_auc",
)
BY_LOG_LOSS = "--scoring neg_log_loss, which compares models by their probabilities"

# -- whether to trust the answer: search/verdict -------------------------------------------------------------

NO_BETTER = warning(
    "no better than guessing",
    "The model is {is_below:no|not clearly} better than guessing: its cross-validated score is {score}, and "
    "{answer} scores {baseline}.",
    "Do not rely on this model. Look for features that are related to the target, for more rows, or for a "
    "score that measures what matters to you.",
)
NO_BETTER_BUT_FOR_LUCK = replace(
    NO_BETTER,
    message=NO_BETTER.message.replace(
        "{score}", "{score} ({corrected} without the luck of choosing among {n_settings} settings)"
    ),
)
NEVER_PREDICTED = warning(
    "classes never predicted",
    "The model never predicts {n:# class|# classes} of {n_classes}: {classes}.",
    "To weight the classes equally, use class_weight='balanced' and scoring='balanced_accuracy'.",
    "To weight the classes equally, use --class-weight balanced --scoring balanced_accuracy.",
)
ALWAYS_THE_SAME = replace(
    NEVER_PREDICTED, message="The model predicts {answer!r} for every held-out row, and never {classes}."
)
CLASS_OF_ONE_ROW = warning(
    "class of one row",
    "{n:Class|Classes} {classes} {n:has one row|have one row each}, so no score can measure how well the "
    "model recognises {n:it|them}.",
    "Add rows of such a class, merge it with another class, or remove it.",
)
C_AT_GIVEN_END = warning(
    "C at the end of its range",
    "C = {C} is the {is_low:smallest|largest} of the given values, and it has the best score.",
    "Give {is_low:smaller|larger} values of C, too (Cs).",
    "Give {is_low:smaller|larger} values of C, too (--log2c).",
)
C_SMALLEST = warning(
    "C at the end of its range",
    "C = {C} is the smallest value that the search tries, and it has the best score.",
    "The model hardly adapts to the rows. The features may be hardly related to the target.",
)
C_LARGEST = warning(
    "C at the end of its range",
    "C = {C} is the largest value that the search tries, and it has the best score.",
    "The model tries to fit every single row. Look for errors in the target.",
)
WIDEST = warning(
    "width at the end of its range",
    "The chosen kernel ({kernel}) is the widest that the search tries: the model is almost linear.",
    "Try kernel='linear', which is simpler.",
    "Try --kernel linear.",
)
NARROWEST = warning(
    "width at the end of its range",
    "The chosen kernel ({kernel}) is the narrowest that the search tries: hardly any two rows are alike.",
    "Look for columns that identify the rows, and for features without a relation to the target.",
)
ROWS_NEVER_HELD_OUT = info(
    "rows never held out",
    "The folds hold out {n_held:.0f} of {n_rows:.0f} rows. Scores and probabilities come from these rows; "
    "the final model is trained on all rows.",
)
CLASSES_NOT_TRAINED_ON = info(
    "classes not trained on",
    "{n:# fold of 'cv' has|# folds of 'cv' have} no row of some class to train on. The rows of this class "
    "that are held out there count as wrong, and probabilities come from the other folds, if there are any.",
    "Use folds with all classes in training.",
)
CLASSES_NEVER_HELD_OUT = info(
    "classes never held out",
    "No fold holds out rows of {n:# class|# classes} ({classes}). Their probabilities come from rows that "
    "the model was trained on, and may be too high.",
    "Use folds that hold out all classes.",
)
INDEFINITE = info(
    "indefinite",
    "The search met {n:# kernel matrix|# kernel matrices} far from positive semi-definite. The solver may "
    "then find a local solution, not the best one.",
    "Use another kernel.",
    "Use another --kernel.",
)
INDEFINITE_AS_GIVEN = info(
    "indefinite",
    "The chosen kernel matrix is not positive semi-definite: {percent:.0f} % of its eigenvalues, by size, "
    "are negative. The solver may then find a local solution, not the best one.",
    "Use other distances or kernel values if you can.",
)
UNSTABLE = info(
    "unstable choice",
    "With so few rows, other rows would lead to another choice. In {n_other} of {n_draws} resamplings of the "
    "{n_rows:.0f} rows, another kernel or C scored best, and it gives another answer for {percent:.0f} % of "
    "the rows.",
    "More rows would make the choice more certain.",
)
ROW_NUMBERS = warning(
    "row numbers",
    "{columns} {n:numbers|number} the rows.",
    "New rows will have other numbers, so leave the {n:column|columns} out.",
    "New rows will have other numbers, so leave the {n:column|columns} out (--ignore {typed}).",
)
#: A suspicion, and no reason to leave out votes, prices or populations: no option says so.
IDENTIFIERS = info(
    "identifiers",
    "{columns} {n:has|have} a different whole number in every row, as identifiers do.",
    "If {n:it identifies|they identify} the rows, leave the {n:column|columns} out.",
)
TARGET_IN_COLUMN = warning(
    "target in a column",
    "{columns} {n:determines|each determine} the target without any other column.",
    "If {n:its value|their values} will not be known for new rows, leave the {n:column|columns} out.",
    "If {n:its value|their values} will not be known for new rows, leave the {n:column|columns} out "
    "(--ignore {typed}).",
)
GROUPS_IN_COLUMN = warning(
    "groups in several folds",
    "{columns} {n:has|each have} values that repeat and determine the target, as the names of patients or "
    "devices do. If rows with the same value are in several folds, the score may say nothing about rows with "
    "other values.",
    "If they are groups, leave the column out of X and pass it to fit as groups: to leave it out alone does "
    "not help, because rows of a group are alike in other columns. If they are not, and will not be known "
    "for new rows, leave the column out.",
    "If they are groups, use --group {first}: --ignore alone does not help, because rows of a group are "
    "alike in other columns. If they are not, and will not be known for new rows, use --ignore {typed}.",
)
TARGET_NEARLY_IN_COLUMN = replace(
    TARGET_IN_COLUMN,
    message="{columns} {n:determines|each determine} the target of 99 in 100 rows without any other column.",
)
TEST_ROWS_TRAINED_ON = warning(
    "test rows in training",
    "{copies} {n_test:# test row|# test rows} {n:is|are} also in the training data. {n:Its|Their} part of "
    "the test score tells nothing about new rows.",
    "Test on rows that the model was not trained on.",
)

# -- unusual rows: search/verdict/one_class.py, estimators/tuned_one_class.py --------------------------------

SAMPLED_ONE_CLASS = info(
    "sampled", "The search chose the kernel on a sample of {n_sampled} of {n_rows} distinct rows."
)
SPARSE_WITHOUT_LABELS = info(
    "sparse", "The features are sparse and there are no labels, so the kernel width is the rule of thumb."
)
TRAINED_ON_SAMPLE = info(
    "trained on a sample",
    "The final model was trained on a sample of {n_sampled} of {n_rows} distinct rows.",
    "Use solver='exact' or solver='nystroem' for all of them.",
    "You need not do anything.",
)
NOT_CONVERGED_ONE_CLASS = warning(
    "not converged",
    "{n_stopped} of {n_models} models of the search stopped before they converged.",
    "Raise max_iter or tol.",
)
NO_STRUCTURE = warning(
    "no structure",
    "The model cannot tell rows of this data from random values: a held-out row scores higher than a row of "
    "random values between the smallest and the largest in only {percent:.0f} % of the pairs.",
    "Add columns that distinguish normal rows. The model will find only rows outside the ranges of all.",
)
LABELS_NOT_FOUND = warning(
    "labels not found",
    "The best kernel ranks the labelled outliers no better than chance (held-out ROC AUC {area:.3f}).",
    "Check the labels. If they are right, these outliers look like normal rows.",
)
FEW_ROWS = info(
    "few rows",
    "The threshold depends on fewer than {least:g} rows: a share of {share:g} of {n:# row|# rows} is "
    "{n_below:.2g}.",
    "Use the order of the scores instead, or train on more rows.",
)
COPIES = info(
    "copies",
    "{n_copies:.0f} of {n:# row|# rows} are copies of others; {n_different:# row|# rows} are different.",
    "A row with many copies counts as normal. Remove copies that are errors.",
)
ONE_FEATURE_DOMINATES = warning(
    "one feature dominates",
    "{feature} makes up {percent:.0f} % of the distances between rows, so it decides almost alone.",
    "Use its logarithm if it has a long tail, leave it out, or use scale='standard'.",
    "Use its logarithm if it has a long tail, or leave the column out.",
)
WIDTH_AT_END_ONE_CLASS = info(
    "width at the end of its range",
    "The chosen kernel width is the {is_low:widest|narrowest} that the search tried ({reason}).",
    "To try other widths, pass a kernel object such as kernel=Laplacian(gamma).",
)

# -- classes and targets: diagnostics/targets.py -------------------------------------------------------------

ONE_CLASS = error(
    "one-class", "y has only one class ({label!r}, {n:# {noun}|# {noun}s}).", "Add {noun}s of another class."
)
TWO_SPELLINGS = warning(
    "labels written in two ways",
    "{groups} differ only in capitals or spaces, but count as different classes.",
    "If they are the same class, write them in the same way and run this again.",
    "If they are the same class, write them in the same way in the file and run this again.",
)
_ONE_EACH = (
    "{n:# class has|# classes have} only one {noun} ({classes}).",
    "Add {noun}s of such a class, or remove or merge it. One {noun} cannot be used for both training and "
    "testing, so no score can measure how well a model recognises the class.",
)
CLASSES_OF_ONE_SAMPLE = warning("class of one row", *_ONE_EACH)
ONLY_CLASSES_OF_ONE_SAMPLE = error("tiny-class", *_ONE_EACH)
TINY_CLASSES = warning(
    "tiny-class",
    "{n:# class has|# classes have} fewer {noun}s than the {n_folds} folds of cross-validation ({classes}).",
    "Use at most {smallest} stratified folds, or merge such classes.",
    "Use --cv {smallest}, or merge such classes.",
)
IMBALANCE = info(
    "imbalance",
    "The smallest class ({small!r}) has {percent:.3g} % of the {noun}s, the largest ({large!r}) {ratio:.3g} "
    "times as many.",
    "If the small class matters, use class_weight='balanced' and scoring='balanced_accuracy'. Use centred "
    "alignment ('centered-kta') instead of plain alignment ('kta').",
    "If the small class matters, use --class-weight balanced --scoring balanced_accuracy.",
)
CONSTANT_TARGET = error(
    "constant target",
    "The target is {value:g} in all rows.",
    "Check y: there is nothing to learn.",
    "There is nothing to learn. Choose another column with --target.",
)
LOGARITHM_HELPS = warning(
    "logarithm of the target",
    "The targets have a long tail, and their logarithms are easier to predict: on {n_rows} rows, an RBF "
    "model of the logarithms has a held-out {measure} of {score:.2f}, and one of the targets {plain:.2f}.",
    "Use target_transform='log'.",
    "Use --log-target.",
)
EXTREME_QUANTILE = warning(
    "extreme quantile",
    "About {n_beyond:.0f} of {n_rows:.0f} rows lie beyond the {quantile:g} quantile: too few to say where it "
    "is, or how good the model is there.",
    "Use more rows, or a quantile nearer to the middle: ten rows should lie beyond it.",
)
OUTLIERS = warning(
    "outliers",
    "{n:# target is|# targets are} more than {far:g} interquartile ranges from the median {median:g}: "
    "{values}.",
    "Check them, because they dominate the score. The logarithm of the target may be easier to predict.",
)

# -- samples: diagnostics/diagnosis.py, diagnostics/_data.py -------------------------------------------------

_ON_COPIES = (
    "Copies in several folds make the cross-validated score too high. Remove copies, or use sample_weight or "
    "grouped folds.",
    "kernelwise puts the copies of a row into one fold. If you make folds or a test file yourself, remove "
    "the copies first: copies in both parts make the score too high.",
)
DUPLICATES = info(
    "duplicates",
    "{n:# {noun} repeats|# {noun}s repeat} another with the same label ({percent:.1f} % of all).",
    *_ON_COPIES,
)
DUPLICATES_OF_NUMBERS = info(
    "duplicates",
    "{n} {noun}s have the same features as another; no model can have a root mean squared error below "
    "{error:.4g} on all rows.",
    *_ON_COPIES,
)
CONFLICTS = warning(
    "conflicts",
    "{n:# {noun}|# {noun}s} in {n_groups:# group|# groups} of equal features have different labels, so any "
    "model makes at least {n_errors:# training error|# training errors} ({percent:.1f} %).",
    "Check these labels, or add a feature that distinguishes these samples. DBTC may have no peak.",
    "Check these labels, or add a column that distinguishes these rows.",
)
IDENTICAL = error(
    "identical",
    "All {n} {noun}s are the same point: every distance is zero.",
    "Check X: no kernel can separate the classes.",
    "Check the file: no kernel can separate the classes.",
)
VALUES = error(
    "values",
    "X has {n:# unusable value|# unusable values} ({kinds}) in {features}, so distances, duplicates and "
    "scales were not checked.",
    "Remove or impute them first, for example with sklearn.impute.SimpleImputer.",
    "Correct them, or leave the columns out with --ignore.",
)
GAPS = info(
    "gaps",
    "{n:# column has|# columns have} gaps: {columns}.",
    "TunedSVC and TunedSVR accept gaps: they replace a missing number by the median of its column and add a "
    "feature that marks it.",
)
CONSTANT = warning(
    "constant",
    "{n:# feature is|# features are} constant: {features}.",
    "Remove {n:it|them} (sklearn.feature_selection.VarianceThreshold): no kernel can use {n:it|them}, and a "
    "Mahalanobis kernel has to invert {n:its|their} variance.",
    "Leave {n:it|them} out with --ignore: no kernel can use {n:it|them}.",
)
SCALING = warning(
    "scaling",
    "The standard deviation of {large} ({large_deviation:.3g}) is {ratio:.3g} times that of {small} "
    "({small_deviation:.3g}). {n:# feature|# features} more than {limit:g} times smaller hardly "
    "{n:counts|count}: {hidden}.",
    "Scale the features, for example with sklearn.preprocessing.{scaler}, or use a Mahalanobis kernel.",
    "Use --scale standard, which is the default.",
)
KERNEL_IMPOSSIBLE = error("kernel", "{error}")
KERNEL_DOUBTFUL = warning("kernel", "{warning}")
COST = info(
    "cost",
    "Training one model on these {n_rows} {noun}s takes {time}, and a search trains hundreds of models. The "
    "estimate is for one core, C = 1 and {how}; it may be wrong by a factor of five. At C = 10 000 training "
    "can take a hundred times as long.",
)
HIGH_COST = replace(
    COST,
    severity="warning",
    advice="Choose the kernel on a part of the samples.",
    option="Set --time-budget.",
)

# -- pairs of samples: diagnostics/_theorems.py, diagnostics/diagnosis.py ------------------------------------

_BY_CROSS_VALIDATION_ONLY = "Leave out --criterion, so that cross-validation chooses the width."
TOO_CLOSE = warning(
    "closest-pair",
    "Some different points are so close that their squared distance is zero in double precision.",
    "Rescale X.",
    "Use other units for the columns.",
)
CLOSEST_PAIR = info("closest-pair", "{evidence}")
CLOSEST_PAIR_MISLEADS = warning(
    "closest-pair",
    "{evidence}",
    "Start the search for the width at γ = {gamma:.4g} (Jaakkola's heuristic), and do not trust an optimum "
    "at the narrow end of the range.",
    _BY_CROSS_VALIDATION_ONLY,
)
CURVE_NOT_SEEN = info(
    "curve", "The separation of the classes was not examined, because class {label!r} has only one sample."
)
CURVE_NOWHERE = error(
    "curve",
    "No kernel width separates any samples: all squared distances are zero in double precision.",
    "Rescale X, or check the kernel's linear map.",
    "Use other units for the columns.",
)
CURVE_FLAT = warning(
    "curve",
    "The distances alone do not show how wide the kernel should be{seen}: the criterion DBTC has no peak for "
    "{n_flat} of {n:# two-class problem|# two-class problems} ({problems}).",
    "Choose the width by cross-validation or another criterion. Label noise, and equal or close points with "
    "different labels, cause such curves.",
    _BY_CROSS_VALIDATION_ONLY,
)
CURVE_PEAK = info(
    "curve",
    "The classes are farthest apart if {noun}s count as alike up to a distance of about "
    "{distance:.2g}{unit}{seen} (the criterion DBTC has its peak at γ = {gamma:.4g}).",
)

# -- the papers' procedures: selection -----------------------------------------------------------------------

EDGE_OF_GRID = info(
    "boundary",
    "The best {parameter}, {value:.4g}, is the {is_low:smallest|largest} of the {n_values} values tried.",
    "Try values beyond it if accuracy matters.",
)
FEW_FOLDS = warning(
    "few folds",
    "The smallest class has {smallest:# sample|# samples}: {smallest} folds were used instead of {cv}.",
    "Merge small classes, or do not rely on the cross-validation accuracy.",
)
WIDTHS_NOT_CONVERGED = warning(
    "not converged",
    "Cross-validation for {n_widths} kernel widths had models that did not converge; the first said: {first}",
    "Accuracies there may be slightly wrong. Lower the largest C or leave out the widest kernels.",
)
CONSTANT_DIRECTIONS = info(
    "constant features",
    "{n_constant} of {n_features} features or directions do not vary and have no influence.",
    "They still count in m, the number of features. Remove them to change that.",
)
#: A two-class problem whose classes are nowhere farthest apart, by the reason that its search ended for.
NO_PEAK_OF_PROBLEM = {
    reason: warning(
        reason,
        f"The distance between the class centres of problem {{problem!r}} has no peak ({reason}); its "
        "parameter is {is_left_out:left out of|in} the average.",
        "Look for duplicate points or label noise, or choose the width by abe_grid_search.",
    )
    for reason in ("plateau", "boundary", "max_iter", "no progress")
}
_AT_WIDEST = (
    "The model is then nearly linear. The best C grows like sigma squared, or like sigma to the fourth "
    "power if no straight line parts the classes: pass larger Cs."
)
_AT_NARROWEST = (
    "Each sample is similar only to itself and its copies there. Use another criterion or yin_grid_search."
)
LARGEST_AT_WIDEST = warning(
    "boundary", "{criterion} is largest at the largest sigma tried, {sigma:.4g}.", _AT_WIDEST
)
LARGEST_AT_NARROWEST = warning(
    "boundary", "{criterion} is largest at the smallest sigma tried, {sigma:.4g}.", _AT_NARROWEST
)
LEVEL_TO_WIDEST = warning(
    "plateau",
    "{criterion} is largest at the largest sigma tried, {sigma:.4g}, and level from there to {until:.4g}: "
    "this is its limit and not a maximum.",
    _AT_WIDEST,
)
LEVEL_TO_NARROWEST = warning(
    "plateau",
    "{criterion} is largest at the smallest sigma tried, {sigma:.4g}, and level from there to {until:.4g}: "
    "this is its limit and not a maximum.",
    _AT_NARROWEST,
)
UNDEFINED_AT_WIDTHS = info(
    "undefined", "{criterion} is undefined at {n:# width|# widths}: samples coincide to rounding."
)
STOPPED_AT_WIDTHS = info(
    "not converged",
    "The machines of {criterion} did not converge at {n:# width|# widths}; the first said: {first}",
)
BEST_AT_ZERO = warning(
    "boundary",
    "The best {method} found is at σ → 0: with {kernel!r} the kernel value of a typical sample and its "
    "nearest neighbour is {nearest:.1e}, so each sample is similar only to itself.{pair} The kernel chosen "
    "is {chosen}.",
    "Look at optima, try more restarts, or choose the width by another criterion.",
)
METRIC = info(
    "metric", "Cross-validation accuracies: {accuracies}. {method!r} is the simplest that is enough."
)
ALTERNATION = info(
    "alternation",
    "Model and metric were trained {n_trainings} times in turn, and the metric still changes.",
    'method="conjugate-gradient" minimises w itself.',
)
BELOW_MAJORITY = warning(
    "below majority",
    "The model chosen for the classes {first!r} and {second!r} is right on {percent:.1f} % of the validation "
    "set, of which the larger class is {majority:.1f} %.",
    "Do not use it: try loss='likelihood', choose='lowest', a larger validation set or TunedSVC.",
)

# -- beside the answer: reports/findings.py ------------------------------------------------------------------

_CAUSES = (
    "There are three usual causes. Rows that belong together, such as those of one person or device, may be "
    "in several folds. The test rows may come from a later time or another source. Or rows of the training "
    "file may be copies of each other."
)
TEST_BELOW = warning(
    "test below cross-validation",
    "The {n_test:# test row|# test rows} score {gap} worse than cross-validation, {n_errors:.1f} standard "
    "errors of the difference. Trust the test.",
    f"{_CAUSES} Keep rows that belong together in one fold (fit(groups=...)), or hold out later rows "
    "(cv=TimeSeriesSplit()).",
    f"{_CAUSES} Keep rows that belong together in one fold (--group COL), or hold out later rows (--time "
    "COL).",
)
NOT_DIAGNOSED = info(
    "not diagnosed",
    "The report did not look for duplicates and close pairs, because there are over {most} rows.",
    "Run kernelwise.diagnose(X, y), which looks at all pairs.",
    "Run kernelwise diagnose on the file.",
)


class Left(NamedTuple):
    """Advice on class imbalance that is left to a user who follows a part of it already."""

    advice: str
    option: str
    severity: str = ""  # empty for that of the finding


#: By the finding, and by whether the model has class weights and a score other than the share of right rows.
LEFT_TO_DO = {
    IMBALANCE.name: {
        (True, True): Left(
            "This model already has class weights and a score that allow for this.", "", "info"
        ),
        (True, False): Left(
            "Use a score that counts classes equally, too: scoring='balanced_accuracy'.",
            "Use a score that counts classes equally, too: --scoring balanced_accuracy.",
        ),
        (False, True): Left(
            "To find more of the small class, weight classes equally: class_weight='balanced'.",
            "To find more of the small class, weight classes equally: --class-weight balanced.",
            "info",
        ),
    },
    NEVER_PREDICTED.name: {
        (True, True): Left("Add rows of such a class, or features that distinguish it from the others.", ""),
        (True, False): Left(
            "Use a score that counts classes equally: scoring='balanced_accuracy'.",
            "Use a score that counts classes equally: --scoring balanced_accuracy.",
        ),
        (False, True): Left(
            "Weight the classes equally: class_weight='balanced'.",
            "Weight the classes equally: --class-weight balanced.",
        ),
    },
}
