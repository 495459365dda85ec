"""The pages of docs/: their examples run, their links lead somewhere, the generated ones are up to date."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_of_a_page_runs(page, run_page):
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_between_pages_lead_to_pages(page):
    links = [li for li in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")) if "://" not in li]
    assert not [link for link in links if not (page.parent / link).exists()]


def test_generated_pages_are_up_to_date():
    command = [sys.executable, DOCS / "build.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_page_is_in_the_navigation():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert not [page.name for page in PAGES if page.name != "index.md" and f"({page.name})" not in index]
