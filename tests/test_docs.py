"""The pages of docs/: their examples run, their links lead somewhere, the generated ones are up to date."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.page
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_of_a_page_runs(page, run_page):
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_between_pages_lead_to_pages(page):
    links = [li for li in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")) if "://" not in li]
    assert not [link for link in links if not (page.parent / link).exists()]


def test_links_to_sections_lead_to_sections():
    headings = {}
    for page in PAGES:
        titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8").lower(), re.MULTILINE)
        headings[page.name] = {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}
    for page in PAGES:
        for name, section in re.findall(r"\]\(([\w.-]*)#([\w-]+)\)", page.read_text(encoding="utf-8")):
            assert section in headings[name or page.name], f"{page.name}: {name}#{section}"


@pytest.mark.page
def test_generated_pages_are_up_to_date():
    command = [sys.executable, DOCS / "build.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_page_is_in_the_navigation():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert not [page.name for page in PAGES if page.name != "index.md" and f"({page.name})" not in index]


def ledger():
    """The rows of docs/scope.md: id, state, and the files named in the last column."""
    for line in (DOCS / "scope.md").read_text(encoding="utf-8").splitlines():
        if re.match(r"\| [A-Z][a-z]?\d+ \|", line):
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            named = re.findall(r"`([^`]+)`", cells[-1])
            state = cells[-2] if named else cells[-1].rstrip(" |")
            yield cells[0], state, [_file(name) for name in named]


def _file(name):
    if name.startswith("tests/"):
        return ROOT / name
    package = ROOT / "src" / "chetaev"
    return package / name if "/" in name else package / "model" / "gallery" / f"{name}.toml"


def _mentions(path, row):
    text = path.read_text(encoding="utf-8").replace("_", " ")
    letters, number = re.fullmatch(r"([A-Za-z]+)(\d+)", row).groups()
    if re.search(rf"(?<![A-Za-z0-9]){row}(?![0-9])", text):
        return True
    spans = re.findall(rf"(?<![A-Za-z0-9]){letters}(\d+)–{letters}?(\d+)", text)
    return any(int(first) <= int(number) <= int(last) for first, last in spans)


def test_the_ledger_names_files_that_exist():
    missing = [(row, str(file)) for row, _, files in ledger() for file in files if not file.exists()]
    assert not missing


@pytest.mark.parametrize(("row", "state", "files"), [r for r in ledger() if r[1] == "works"])
def test_a_row_of_the_ledger_that_works_is_in_the_code_and_in_a_test(row, state, files):
    tests = [file for file in files if file.is_relative_to(ROOT / "tests")]
    assert tests, f"no test is named for {row}"
    assert len(tests) < len(files), f"no module or model is named for {row}"
    assert not [str(file) for file in files if not _mentions(file, row)], f"files that do not mention {row}"


def test_every_row_of_the_ledger_has_a_state():
    rows = list(ledger())
    assert len(rows) == len({row for row, _, _ in rows}) >= 80
    words = ("works", "partly", "not yet", "models only", "model only", "only in a test")
    assert not [row for row, state, _ in rows if not state.startswith(words)]
