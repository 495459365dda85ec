"""The command line as a program: its exit status, its streams, sentences instead of tracebacks.

Exit status: 0 done; 1 the answer is no; 2 the input is wrong, with a message that says where and what to do;
70 an error in chetaev itself; 130 interrupted.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys

from chetaev import interrupts

TYPE_CHECKING = False  # as in `typing`: an interrupt is to be handled before anything else is imported
if TYPE_CHECKING:
    from typing import Any

    import click


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    atexit.register(gc.freeze)  # at the end nothing is looked through once more for garbage: it all goes
    ours = interrupts.are_ours()
    try:
        if ours:
            interrupts.end_at_once()
        import chetaev.commands  # noqa: F401  # an interrupt meanwhile ends the process

        if ours:
            interrupts.raise_them()
        status = run(arguments)
        if ours:
            interrupts.ignore()
    except KeyboardInterrupt:
        interrupts.end()
    if interrupts.heard:
        # An interrupt inside of `exec`, with which dataclasses are made, has `python -m` end with a signal
        # even where it was handled; not if the process ends here.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    import click

    from chetaev.commands import cli
    from chetaev.errors import ChetaevError

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: what is printed goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=arguments, prog_name="chetaev", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except ChetaevError as error:
        return _failed(str(error))
    except click.UsageError as error:
        return _failed(_usage(error))
    except click.ClickException as error:
        return _failed(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        return _failed("interrupted", interrupts.STATUS)
    except MemoryError:
        return _failed("out of memory; the model is too large for this machine")
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except OSError as error:
        _failed(f"the output cannot be written: {error.strerror or error}")
        _silence(sys.stdout)
        return 2
    except Exception as error:
        if interrupts.heard:  # a library has made something else of it
            return _failed("interrupted", interrupts.STATUS)
        if os.environ.get("CHETAEV_DEBUG"):
            raise
        return _failed(
            f"an error in chetaev itself: {type(error).__name__}: {error}\n"
            "  please report it with the model; CHETAEV_DEBUG=1 shows where it happened",
            70,
        )


def _failed(message: str, status: int = 2) -> int:
    """Print why a command failed; the exit status."""
    from chetaev.commands.command_group import say

    say(f"chetaev: {message}", err=True)
    return status


def _silence(stream: Any) -> None:
    """Let what is still buffered for a stream go nowhere, so that closing it raises nothing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _usage(error: click.UsageError) -> str:
    """What is wrong with the words after ``chetaev``."""
    import click

    from chetaev.errors import nearest

    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        options = [o for p in (error.ctx.command.params if error.ctx else []) for o in p.opts]
        close = nearest(error.option_name, options)
        message = f"there is no option {error.option_name!r}" + (
            f"; did you mean {close[0]!r}?" if close else ""
        )
    command = error.ctx.command_path if error.ctx else "chetaev"
    return f"{message}\n  '{command} --help' tells how it is used"
