"""What all tests share: hypothesis profiles, the browser rule, and the reader of Markdown pages.

`run_page` executes the examples of a page, so that no page shows what the program does not do:

- every ``python`` block is run, in order, in one namespace; what it prints stands in the ``text`` or
  ``output`` block that follows it;
- in a ``console`` block every line ``$ chetaev …`` is run, and what follows it up to the next ``$`` is what
  it prints; ``$ echo $?`` shows its exit status, which is 0 unless so shown; other commands are for readers;
- the comment ``<!-- file: NAME -->`` before a block puts the block into a file of that name.

``…`` in an expected output stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from portions import TIMES, divide, examples

ROOT = Path(__file__).resolve().parent.parent
CI = bool(os.environ.get("CI"))
BROWSER = "chromium or chromium-browser on the path; on Debian and Ubuntu: apt-get install chromium"

# Deadlines measure the machine, and the first example of a test pays for its imports.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples(40)
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.load_profile("ci" if CI else "default")

# All libraries and thousands of tests stay in memory, and a search for garbage would always go through them.
# What the tests make is still searched, when more of it has gathered than is usual.
gc.set_threshold(50_000, 20, 20)

# A shell that runs the tests in the background lets them ignore interrupts; some tests are about interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip browser tests where there is no browser, but never in continuous integration."""
    if item.get_closest_marker("browser") and not any(map(shutil.which, ("chromium", "chromium-browser"))):
        if CI:
            pytest.fail(f"in continuous integration this must run, and it needs {BROWSER}", pytrace=False)
        pytest.skip(f"it needs {BROWSER}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """In continuous integration nothing is passed over in silence: there a skipped test has failed."""
    report: Any = yield
    if CI and sys.platform == "linux" and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"{item.nodeid} was skipped: {report.longrepr}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Divide the cases of long tests; where more examples are asked for, keep only what has examples."""
    divide(items)
    if TIMES > 1:
        tried, others = [], []
        for item in items:
            is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
            (tried if is_property else others).append(item)
        items[:] = tried
        config.hook.pytest_deselected(items=others)


def pytest_collection_finish() -> None:
    """What has been imported and collected stays until the end."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Say that no test was chosen, or print the mutations that were tried, and what noticed each."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        chosen = " ".join(
            f'{option} "{value}"'
            for option, value in (("-k", config.option.keyword), ("-m", config.option.markexpr))
            if value
        )
        terminalreporter.write_line(f"No test has run: there is none here for {chosen}.")
    elif exitstatus == pytest.ExitCode.TESTS_FAILED and getattr(config.option, "numprocesses", None):
        terminalreporter.write_line(
            'Broken, or of load? make test PYTEST_ARGS="-n 0 --last-failed" runs alone what has failed.'
        )
    reports = [r for part in ("passed", "failed") for r in terminalreporter.stats.get(part, ())]
    rows = [value for r in reports for key, value in r.user_properties if key == "mutation"]
    if rows:
        terminalreporter.section(f"{len(rows)} mutations")
        for file, wrong, found in sorted(map(tuple, rows)):
            terminalreporter.write_line(f"{file}: {wrong}: {found or 'NOT NOTICED'}")


@pytest.fixture(scope="session")
def root() -> Path:
    """The directory of the repository."""
    return ROOT


@pytest.fixture(autouse=True, scope="session")
def _own_record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests' notes of what chetaev wrote are not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def run_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], int]:
    """A function that executes a Markdown page and says how many examples it held."""

    def run(page: Path) -> int:
        monkeypatch.chdir(tmp_path)
        return Page(page).run()

    return run


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it starts at, the file it is put into."""

    language: str
    text: str
    line: int
    file: str | None


class Page:
    """A Markdown page whose blocks are executed in the current directory."""

    fence = re.compile(
        r"^(?:<!-- file: (?P<file>\S+) -->\n+)?```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```[ \t]*$",
        re.MULTILINE | re.DOTALL,
    )

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.namespace: dict[str, Any] = {"__name__": "__page__"}

    def blocks(self) -> Iterator[Block]:
        """The fenced blocks in order."""
        for found in self.fence.finditer(self.text):
            line = self.text.count("\n", 0, found.start("text")) + 1
            yield Block(found["language"], found["text"], line, found["file"])

    def run(self) -> int:
        """Execute all blocks; the number of examples."""
        blocks = list(self.blocks())
        examples = 0
        for block, after in zip_longest(blocks, blocks[1:]):
            if block.file:
                Path(block.file).write_text(block.text, encoding="utf-8")
            if block.language == "python":
                shown = after.text if after and after.language in ("text", "output") else ""
                self.compare(shown, self.python(block), block.line)
                examples += 1
            elif block.language == "console":
                examples += self.console(block)
        return examples

    def python(self, block: Block) -> str:
        """What a Python block prints."""
        code = compile("\n" * (block.line - 1) + block.text, str(self.path), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, self.namespace)
        return printed.getvalue()

    def console(self, block: Block) -> int:
        """Run the commands of a console block; the number of commands run."""
        runs, status, shown = 0, 0, True
        for found in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            command, expected = found.groups()
            line = block.line + block.text.count("\n", 0, found.start())
            if command == "echo $?":
                assert expected.strip() == str(status), f"{self.path.name}:{line}: exit status {status}"
                shown = True
                continue
            assert shown, f"{self.path.name}:{line}: the command before it ended with status {status}"
            if command.split()[0] == "chetaev":
                status, printed = chetaev(*shlex.split(command)[1:])
                shown = status == 0
                self.compare(expected, printed, line)
                runs += 1
        assert shown, f"{self.path.name}:{block.line}: the last command ended with status {status}"
        return runs

    def compare(self, expected: str, printed: str, line: int) -> None:
        """Fail with a difference unless the output is the expected one."""
        want = "".join(f"{row.rstrip()}\n" for row in expected.replace("…", "...").rstrip().splitlines())
        got = "".join(f"{row.rstrip()}\n" for row in printed.rstrip().splitlines())
        if not doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS):
            pytest.fail(
                f"{self.path.name}:{line} shows\n\n{expected}\nbut the output is\n\n{got}", pytrace=False
            )


def chetaev(*arguments: str) -> tuple[int, str]:
    """Exit status and output of a command in a process of its own, in a plain terminal of 90 columns."""
    plain = {"COLUMNS": "90", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
    program = "import sys; from chetaev.cli import main; sys.argv[0] = 'chetaev'; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env={**os.environ, **plain},
        check=False,
    )
    return done.returncode, done.stdout
