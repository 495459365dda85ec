"""A process may fork while its threads are inside of chetaev: the child works on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from portions import parts

PROGRAM = """
import itertools, os, signal, sys, threading, time
import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field

numbers, forks = itertools.count(1), int(sys.argv[1])

def model(name, potential):
    start = {name: 0.1, f"{name}'": 1}
    return ch.System(coordinates=[name], lagrangian=f"{name}'^2/2 - {potential}", initial=start, until=0.1)

def work(judging):
    for i in numbers:
        system = model("x", f"cos({i}*x)*exp(x/{i})")
        ch.simulate(system, at=2)
        if judging:
            ch.classify(system)
            ch.equations(system)

for k in range(3):
    threading.Thread(target=work, args=(k == 0,), daemon=True).start()
for i in range(forks):
    time.sleep(0.03)
    child = os.fork()
    if not child:
        signal.alarm(900)  # a child that hangs is ended, and seen
        ch.simulate(model("u", f"cosh({i + 2}*u)"), at=2)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, f"child {i} hung"
print("all came back", flush=True)
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("forks", [3, *parts([12, 40], 1)])
def test_children_of_busy_processes_do_not_hang(forks: int) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(forks)],
        env=os.environ | {"CHETAEV_CACHE": "off"},
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert done.stdout == "all came back\n", done.stderr


def test_importing_starts_no_thread() -> None:
    program = "import threading, chetaev.flow.data.simulate; print(threading.active_count())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
