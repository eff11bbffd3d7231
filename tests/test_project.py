"""What the files around the package say of it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import kernelwise

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_files_of_a_release_have_the_version_of_the_package():
    # Citations: tests/docs/test_cite.py.
    files = ("CHANGELOG.md", "CITATION.cff", ".github/workflows/release.yml", "recipe/recipe.yaml")
    changes, citation, workflow, recipe = ((ROOT / name).read_text(encoding="utf-8") for name in files)
    assert f"# A tag such as v{kernelwise.__version__} " in workflow
    assert f'\n  version: "{kernelwise.__version__}"\n' in recipe
    # The changelog begins with this version, and has its date as soon as it is released.
    version, date = re.search(r"^## (\S+) \((unreleased|[\d-]{10})\)$", changes, re.MULTILINE).groups()
    assert version == kernelwise.__version__
    assert re.findall(r"^date-released: (.*)$", citation, re.MULTILINE) == [date] * (date != "unreleased")


def test_the_recipe_for_conda_has_the_dependencies_of_the_package():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    needed = [f"python {PROJECT['project']['requires-python']}"]
    # It does not build for Windows, and nothing else has a condition.
    needed += [name.replace(">=", " >=") for name in PROJECT["project"]["dependencies"] if ";" not in name]
    run = recipe.split("\n  run:\n")[1].split("\n\n")[0]
    assert re.findall(r"- (.*)", run) == needed
    host = recipe.split("\n  host:\n")[1].split("\n  run:\n")[0]
    built_with = [name.replace(">=", " >=") for name in PROJECT["build-system"]["requires"]]
    assert re.findall(r"- (.*)", host) == ["python", "pip", *built_with]


def test_the_makefile_installs_extras_and_groups_that_exist():
    extras = re.search(r"^EXTRAS := (.*)$", MAKEFILE, re.MULTILINE)[1].split(",")
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])
    groups = re.findall(r"--group (\w+)", MAKEFILE)
    assert groups
    assert set(groups) <= set(PROJECT["dependency-groups"])


def test_workflows_call_targets_that_exist():
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    defined = set(" ".join(re.findall(r"^([a-z][a-z -]*):", MAKEFILE, re.MULTILINE)).split())
    assert set(phony) == defined
    called = set()
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for words in re.findall(r"run: make ([a-z ]+)", path.read_text(encoding="utf-8")):
            called |= set(words.split())
    assert {"lint", "demo", "pytest", "docs", "newest", "nightly"} <= called <= defined
