"""The README shows only what the program does."""

import re

import pytest


@pytest.mark.page
def test_every_example_of_the_readme_runs(root, run_page):
    assert run_page(root / "README.md") >= 2


def test_readme_names_the_two_commands_and_the_makefile_has_them(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert f"\n{target}:" in makefile


def test_readme_links_to_files_that_exist(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", readme) if "://" not in link]
    assert links
    assert not [link for link in links if not (root / link).exists()]
