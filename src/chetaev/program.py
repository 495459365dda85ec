"""The command line as a program: its exit status, its streams, sentences instead of tracebacks.

Exit status: 0 done; 1 the answer is no; 2 the input is wrong, with a message that says where and what to do.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from chetaev.commands import cli
from chetaev.errors import ChetaevError, nearest, visible
from chetaev.folded import for_terminal
from chetaev.interrupts import heard


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
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
        _say(str(error))
        return 2
    except click.UsageError as error:
        _say(_usage(error))
        return 2
    except click.ClickException as error:
        _say(error.format_message())
        return 2
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        return 130
    except MemoryError:
        _say("out of memory; the model is too large for this machine")
        return 2
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except OSError as error:
        _say(f"the output cannot be written: {error.strerror or error}")
        _silence(sys.stdout)
        return 2
    except Exception as error:
        if heard:  # a library has made something else of it
            _say("interrupted")
            return 130
        if os.environ.get("CHETAEV_DEBUG"):
            raise
        _say(
            f"an error in chetaev itself: {type(error).__name__}: {error}\n"
            "  please report it with the model; CHETAEV_DEBUG=1 shows where it happened"
        )
        return 70


def _say(message: str) -> None:
    click.echo(for_terminal(f"chetaev: {visible(message)}", err=True), err=True)


def _silence(stream: Any) -> None:
    """Let what is still buffered for a stream go nowhere, so that closing it raises nothing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _usage(error: click.UsageError) -> str:
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        options = [o for p in (error.ctx.command.params if error.ctx else []) for o in p.opts]
        close = nearest(error.option_name, options)
        message = f"there is no option {error.option_name!r}" + (
            f"; did you mean {close[0]!r}?" if close else ""
        )
    command = error.ctx.command_path if error.ctx else "chetaev"
    return f"{message}\n  '{command} --help' tells how it is used"
