"""benchmarks.figures: every number that a page says was measured is in the output of a run that it names."""

import pytest
from benchmarks.figures import Report

from benchmarks import figures

#: Runs of which there is no output yet; make them with `python -m benchmarks.all`, and lower this number.
N_NOT_RUN = 0
TABLE = "| set | right |\n|---|---|\n| iris | 0.9132 |"


@pytest.fixture
def outputs(monkeypatch):
    """What two runs have printed, and one that has not been made."""
    known = {
        "speed": "\nkernelwise 0.0214 s, 1 234.5 MB, ratio 27.4\n",
        "score": f"\n## other\n\n| a |\n|---|\n\n## mean\n\n{TABLE}\n\nend",
        "later": None,
    }

    def output(name):
        if name not in known:
            raise ValueError(f"there is no run {name!r}")
        return known[name]

    monkeypatch.setattr(figures, "output", output)


def faults(text):
    report = Report()
    figures.check_numbers(text, "page.md", report)
    return report.faults


@pytest.mark.parametrize(
    "number", ["0.02 s", "21 ms", "1234.5 MB", "1 234 MB", "1.2 GB", "27×", "20 to 27 times", "27.4"]
)
def test_a_number_that_the_run_rounds_to_is_found(number, outputs):
    assert faults(f"# T\n\n<!-- from: speed; given: 20 -->\n\nIt is {number}.") == []


@pytest.mark.parametrize("number", ["0.03 s", "22 ms", "1.3 GB", "28×", "27.5", "5 %", "0.5", "± 3"])
def test_a_number_that_no_run_has_is_told(number, outputs):
    text = f"# T\n\n<!-- from: speed -->\n\nIt is {number}."
    (fault,) = faults(text)
    assert fault.startswith("page.md:5: ")
    assert fault.endswith(" is not in the output of speed")
    (fault,) = faults(text.replace("<!-- from: speed -->", ""))
    assert fault.endswith(" is from no run")
    amount = number.replace("± ", "").split()[0].rstrip("×")
    assert faults(text.replace("from: speed", f"given: {amount}")) == []


def test_shares_are_per_cent_and_signs_do_not_matter(outputs):
    assert faults("<!-- from: score -->\n\n91 %, 91.3 %, −0.913 and 0.91") == []


def test_what_is_not_measured_is_not_asked():
    text = "35 × 35 values, 10 000 rows, 3 folds, Python 3.11, `0.5`, [a](b0.5.md), doi 10.1007/5, γ²\n\n"
    assert faults(text + "```\n0.25 s\n```\n\n0.985<!-- yin_table2.csv accuracy: data=iris -->") == []


def test_a_comment_holds_until_the_next_heading_or_comment(outputs):
    text = "# T\n\n<!-- from: speed -->\n\n27.4\n\n{}\n\n27.4"
    assert faults(text.format("more")) == []
    assert faults(text.format("## U")) == ["page.md:9: 27.4 is from no run"]
    assert faults(text.format("<!-- from: score -->")) == ["page.md:9: 27.4 is not in the output of score"]
    assert faults(text.format("<!-- from: nowhere -->"))[0] == "page.md:7: there is no run 'nowhere'"


def test_numbers_may_come_from_the_code_of_the_page(outputs):
    text = "<!-- from: code -->\n\nIt has {} %.\n\n```text\nscore 83.3 % ± 1.6\n```\n"
    assert faults(text.format("83.3")) == []
    assert len(faults(text.format("83.4"))) == 1


def test_what_waits_for_a_run_is_counted_and_no_fault(outputs):
    report = Report()
    figures.check_numbers("<!-- from: speed, later -->\n\n27.4, 99.9 % and 5 s", "page.md", report)
    assert (report.faults, report.waiting) == ([], {"later": 2})
    assert report.named == {"speed", "later"}


def test_a_table_is_that_of_the_output(outputs):
    page, report = "a\n<!-- table: {} -->\n| old |\n<!-- end -->\nb", Report()
    made = figures.filled(page.format("score mean"), "page.md", report)
    assert made == page.format("score mean").replace("| old |", TABLE)
    assert figures.filled(made, "page.md", report) == made
    assert report.faults == []
    for name in ("score no", "speed", "nowhere"):
        assert figures.filled(page.format(name), "page.md", report) == page.format(name)
    assert [fault.partition(": ")[2] for fault in report.faults] == [
        "the output of score has no table no",
        "the output of speed has no table",
        "there is no run 'nowhere'",
    ]
    assert figures.filled(page.format("later"), "page.md", report) == page.format("later")
    assert report.waiting == {"later": 1}


def test_the_numbers_of_a_table_are_those_of_its_run(outputs):
    assert faults("<!-- table: score mean -->\n| 0.1234 |\n<!-- end -->\n") == []


def test_the_head_of_an_output_is_not_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    monkeypatch.setattr(figures, "read_runs", lambda: {"speed": None, "later": None})
    (tmp_path / "speed.txt").write_text("# command: a 1.5\n# CPU seconds: 7\n\n0.25 s\n")
    read = figures.output.__wrapped__
    assert read("speed").strip() == "0.25 s"
    assert read("later") is None
    assert "esdr" in read("yin")  # a study
    with pytest.raises(ValueError, match="no run 'nowhere'"):
        read("nowhere")


def test_every_number_of_the_pages_has_a_run_and_few_runs_are_missing():
    report = figures.check()
    assert report.faults == []
    missing = [name for name in figures.read_runs() if figures.output(name) is None]
    assert len(missing) == N_NOT_RUN, f"not run yet: {missing}"
