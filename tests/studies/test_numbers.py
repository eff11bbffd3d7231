"""Numbers in the README and the documents that come from a study are those of its CSV file.

A number is marked by a comment behind it: ``0.985<!-- yin_table2.csv accuracy: data=iris; method=esdr -->``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernelwise.studies.tables import markdown
from kernelwise.studies.tables import read_csv as read

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "docs" / "studies"
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")})
MARK = re.compile(
    r"(?P<number>-?\d+(?:\.(?P<digits>\d+))?)(?: ?%)?"
    r"<!-- (?P<file>\S+\.csv) (?P<column>.+?): (?P<where>.+?) -->"
)
TABLE = re.compile(r"(?P<table>(?:^\|.*\|\n)+)\nRows: \[(?P<file>\S+\.csv)\]", re.MULTILINE)


def wrong_numbers(text, folder):
    """What is marked in a text and does not agree with the CSV files of a folder."""
    wrong = []
    for mark in MARK.finditer(text):
        where = dict(pair.split("=", 1) for pair in mark["where"].split("; "))
        rows = [row for row in read(folder / mark["file"]) if all(str(row[k]) == v for k, v in where.items())]
        digits = len(mark["digits"] or "")
        if len(rows) != 1 or f"{rows[0][mark['column']]:.{digits}f}" != mark["number"]:
            wrong.append(mark[0])
    return wrong


def wrong_tables(text, folder):
    """Tables of a page that are not those of its CSV files."""
    return [
        table["file"]
        for table in TABLE.finditer(text)
        if table["table"].strip() != markdown(read(folder / table["file"]))
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_marked_numbers_are_those_of_the_study(page):
    assert wrong_numbers(page.read_text(encoding="utf-8"), STUDIES) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_study(page):
    assert wrong_tables(page.read_text(encoding="utf-8"), page.parent) == []


def test_a_wrong_number_is_found(tmp_path):
    (tmp_path / "toy.csv").write_text(
        "data,method,rate %\niris,esdr,96.4812\niris,dbtc,7\n", encoding="utf-8"
    )
    mark = "<!-- toy.csv rate %: data=iris; method={} -->"
    esdr, dbtc = mark.format("esdr"), mark.format("dbtc")
    right = f"96.48{esdr} 96.5 %{esdr} 7{dbtc}"
    assert len(MARK.findall(right)) == 3
    assert wrong_numbers(right, tmp_path) == []
    assert wrong_numbers(f"96.47{esdr}", tmp_path) == [f"96.47{esdr}"]
    nobody = f"7{mark.format('j4')}"
    assert wrong_numbers(nobody, tmp_path) == [nobody]


def test_a_wrong_table_is_found(tmp_path):
    (tmp_path / "toy.csv").write_text("data,rate,n,paper's\niris,96.48123,5,\n", encoding="utf-8")
    head = "| data | rate | n | paper's |\n| --- | --- | ---: | ---: |"
    page = f"{head}\n| iris | 96.48 | 5 |  |\n\nRows: [toy.csv](toy.csv)"
    assert len(TABLE.findall(page)) == 1
    assert wrong_tables(page, tmp_path) == []
    assert wrong_tables(page.replace("96.48", "96.49"), tmp_path) == ["toy.csv"]
