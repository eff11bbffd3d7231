"""What a gap should count as: ``python -m benchmarks.gaps --tables FOLDER [--rows 600] [--sets NAME ...]``

TunedSVC("rbf") with three ways to code missing values, on the same five folds: accuracy and log-loss.

- feature: the median, or no word, and a feature that says so. This is what TunedSVC does.
- distance: every pair of rows has the expected squared distance of what is missing, which is independent for
  different rows. Each row with gaps then needs a direction of its own, so that no file could hold the model.
- filled: the median, or the most frequent word, and nothing more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.forests import with_means
from benchmarks.frames import N_FOLDS, read
from kernelwise import TunedSVC
from kernelwise.search.data.scaling import weigh_alike
from kernelwise.studies.tables import Row
from kernelwise.tables import Column, Encoder, Table, is_missing, is_numbers, learn_encoder, to_table

SETS = ("horse_colic", "credit_approval", "titanic_passengers", "congressional_voting", "adult10k")
#: Columns that name the passengers.
LEFT_OUT = ("PassengerId", "Name", "Ticket")
Pair = tuple[np.ndarray, np.ndarray]


def feature(train: Table, test: Table) -> Pair:
    """As TunedSVC codes and scales a table."""
    encoder = learn_encoder(train)
    X, T = encoder.transform(train), encoder.transform(test)
    scaler = StandardScaler().fit(X)
    weigh_alike(scaler, encoder.layout)
    return scaler.transform(X), scaler.transform(T)


def filled(train: Table, test: Table) -> Pair:
    """The same after medians and most frequent words."""
    return feature(_filled(train, train), _filled(test, train))


def distance(train: Table, test: Table) -> Pair:
    """Rows whose squared distances are expected ones: a gap is the mean, and a direction of its own."""
    encoder = learn_encoder(train)
    parts = [_expected(encoder, k, train, test) for k in range(encoder.n_columns)]
    n_gaps, n_new = (sum(is_missing(column) for column in frame.columns) for frame in (train, test))
    own = np.diag(np.sqrt(n_gaps))[:, n_gaps > 0]
    X = np.column_stack([*(part[0] for part in parts), own, np.zeros(len(train))])
    T = np.column_stack([*(part[1] for part in parts), np.zeros((len(test), own.shape[1])), np.sqrt(n_new)])
    return X, T


def _expected(encoder: Encoder, k: int, train: Table, test: Table) -> Pair:
    column, cells, new = encoder.columns[k], train.columns[k], test.columns[k]
    if not column.is_words:
        mean, deviation = np.nanmean(cells), np.nanstd(cells) or 1.0
        both = [np.where(np.isnan(one), 0.0, (one - mean) / deviation)[:, None] for one in (cells, new)]
        return both[0], both[1]
    U, V = (np.delete(column.transform(one), _gap(column), axis=1) for one in (cells, new))
    shares = U[~is_missing(cells)].mean(axis=0)
    U[is_missing(cells)] = V[is_missing(new)] = shares
    size = np.sqrt(max(1.0 - float(shares @ shares), 1e-9))
    return U / size, V / size


def _gap(column: Column) -> list[int]:
    """The place of the feature of gaps among those of a column of words."""
    return [len(column.words)] if column.has_gaps else []


def _filled(frame: Table, train: Table) -> Table:
    columns = []
    for cells, seen in zip(frame.columns, train.columns, strict=True):
        present = seen[~is_missing(seen)]
        if is_numbers(seen):
            columns.append(np.where(np.isnan(cells), np.median(present), cells))
            continue
        words, counts = np.unique(present.astype(str), return_counts=True)
        most = str(words[np.argmax(counts)])
        columns.append(np.array([most if word is None else word for word in cells], dtype=object))
    return Table(frame.names, tuple(columns))


WAYS = {"feature": feature, "distance": distance, "filled": filled}


def measured(frame: Table, y: np.ndarray) -> tuple[dict[str, float], dict[str, float]]:
    """Accuracy in % and log-loss by way."""
    right: dict[str, list[float]] = {way: [] for way in WAYS}
    losses: dict[str, list[float]] = {way: [] for way in WAYS}
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(y, y):
        for way, code in WAYS.items():
            X, T = code(frame[train], frame[test])
            model = TunedSVC("rbf", scale=None, random_state=0).fit(X, y[train])
            right[way].append(100.0 * float(np.mean(model.predict(T) == y[test])))
            losses[way].append(log_loss(y[test], model.predict_proba(T), labels=model.classes_))
    accuracy = {way: float(np.mean(values)) for way, values in right.items()}
    return accuracy, {way: float(np.mean(values)) for way, values in losses.items()}


def main(arguments: list[str] | None = None) -> None:
    """Run the sets, print a line for each, and the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", default=list(SETS), metavar="NAME")
    parser.add_argument("--rows", type=int, default=600, help="rows of a set at most")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of the CSV files")
    options = parser.parse_args(arguments)
    tables: list[list[Row]] = [[], []]
    print("| set | rows | " + " | ".join(WAYS) + " |\n| --- | --- |" + " ---: |" * len(WAYS), flush=True)
    for name in options.sets:
        table, _, y = read(name, options.tables, options.rows)
        frame = to_table(table.drop(columns=[c for c in LEFT_OUT if c in table]), "from_dtype", "gaps")
        assert frame is not None, f"{name} has neither words nor gaps"
        for rows, values in zip(tables, measured(frame, y), strict=True):
            rows.append({"set": name, "rows": len(y), **values})
        print(line(*(rows[-1] for rows in tables)), flush=True)
    print(line(*(with_means(rows)[-1] for rows in tables)))


def line(right: Row, loss: Row) -> str:
    """A row of the table: per cent right, and the log-loss in brackets."""
    cells = [right["set"], str(right["rows"]), *(f"{right[way]:.2f} ({loss[way]:.3f})" for way in WAYS)]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
