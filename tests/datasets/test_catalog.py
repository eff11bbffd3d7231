import pytest

from kernelwise.datasets import available, load
from kernelwise.datasets.manifest import FILES, WITH_PARTS, resolve


def test_available_lists_files_and_whole_sets_in_order():
    known = available()
    assert list(known) == sorted(known)
    assert set(known) == set(FILES) | set(WITH_PARTS)
    assert known["iris"][:3] == (150, 4, 3)
    assert known["letter"][:3] == (20000, 16, 26)


def test_sets_with_official_parts():
    assert set(WITH_PARTS) == {"thyroid", "usps", "optdigits", "pendigits", "satimage", "letter"}
    for name in WITH_PARTS:
        assert FILES[f"{name}_train"].n_features == FILES[f"{name}_test"].n_features


def test_resolve_puts_the_train_part_first():
    assert resolve("letter", None) == ["letter_train", "letter_test"]
    assert resolve("letter", "test") == resolve("letter_test", None) == ["letter_test"]


@pytest.mark.parametrize(
    ("name", "part", "says"),
    [
        ("irsi", None, "did you mean 'iris'.*available"),
        ("zzzzzz", None, r"no data set 'zzzzzz'; kernelwise.datasets.available\(\) lists"),
        ("letter", "validation", "'train', 'test' or None, got 'validation'"),
        ("iris", "train", "'iris' has no parts.*letter"),
        ("letter_train", "test", "'letter_train' has no parts"),
    ],
)
def test_unknown_names_and_parts_are_explained(name, part, says):
    with pytest.raises(ValueError, match=says):
        load(name, part=part)
