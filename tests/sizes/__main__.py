"""``python -m sizes`` (in ``tests/``): every verb asked of systems of the size that people have.

Each question has a process of its own. A cell says how the answer is known, how long it is printed, and the
seconds of a processor that it took. The status is 1 if a question was refused, was not answered within the
seconds it may take, or is printed too long.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import chetaev as ch
from sizes.systems import SYSTEMS

SECONDS, OF_LARGE = 10, 30
"""What a verb may take, on one quiet core; for eight links and more."""
LARGE = ("snake 8", "car + 20")
LETTERS = 100 * 120
"""What is printed: a hundred lines of a terminal."""
SAMPLE = ("snake 4", "car + 5", "segway", "triple pendulum", "random 5")


def held(law: Any) -> str:
    """How many laws are known, and how."""
    known = [one for one in law if one.conserved]
    how = sorted({one.proof.how for one in known})
    return f"{len(known)} ({', '.join(how)})" if known else "none found"


def jacobi(system: ch.System) -> tuple[str, Any]:
    """Whether the bracket satisfies Jacobi's identity."""
    b = ch.bracket(system)
    return {True: "Jacobi", False: "not Jacobi", None: "undecided"}[b.jacobi], b


def measure(system: ch.System) -> tuple[str, Any]:
    """An invariant measure, or what forbids it."""
    found = ch.measure(system)
    word = "density" if found.density is not None else "obstruction" if found.obstruction else "none found"
    return word, found


VERBS: dict[str, Callable[[ch.System], tuple[str, Any]]] = {
    "classify": lambda s: ((c := ch.classify(s)).holonomy, c),
    "equations": lambda s: ("", ch.equations(s)),
    "compare": lambda s: ("agree" if (c := ch.compare(s, samples=4)).agree else "differ", c),
    "laws": lambda s: (held(found := ch.integrals(s)), found),
    "symmetries": lambda s: (f"{len(found := ch.symmetries(s))}", found),
    "killing": lambda s: (f"{len(found := ch.killing(s))}, complete: {found.complete}", found),
    "measure": measure,
    "helmholtz": lambda s: (f"variational: {(h := ch.helmholtz(s)).variational}", h),
    "hamilton": lambda s: (f"regular: {(h := ch.hamilton(s)).regular}", h),
    "bracket": jacobi,
    "dirac": lambda s: ((d := ch.dirac(s)).outcome, d),
    "linearize": lambda s: (
        f"{len((m := ch.linearize(s, along=ch.simulate(s, until=0.1))).states)} states",
        m,
    ),
    "equilibria": lambda s: (f"{len(found := ch.equilibria(s))}, complete: {found.complete}", found),
    "accessibility": lambda s: (f"{(a := ch.accessibility(s, inputs=[s.coordinates[-1]])).accessible}", a),
    "claims": lambda s: (f"{len(found := ch.claims(s))}", found),
}


def asked(name: str, verb: str, answers: Any) -> None:
    """Ask in this process, and send word, length and seconds."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    system = SYSTEMS[name]()
    start = time.process_time()
    try:
        word, result = VERBS[verb](system)
        answers.send((word, len(str(result)), time.process_time() - start, ""))
    except ch.ModelError as error:
        answers.send(("refused", 0, time.process_time() - start, str(error)))
    except Exception:
        answers.send(("failed", 0, time.process_time() - start, traceback.format_exc()))


def ask(name: str, verb: str, most: float) -> tuple[str, int, float, str]:
    """The answer, or that there was none within so many seconds of the clock."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=asked, args=(name, verb, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(most) else ("no end", 0, most, "")
    except EOFError:
        return "died", 0, 0.0, ""
    finally:
        process.kill()
        process.join()


def main(arguments: Sequence[str]) -> int:
    """Ask all and print the answers; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sizes")
    parser.add_argument("--sample", action="store_true", help="some systems only")
    parser.add_argument("--only", nargs="*", default=[], help="systems or verbs")
    parser.add_argument("--patience", type=float, default=3.0, help="times as long by the clock, at most")
    options = parser.parse_args(arguments)
    names = [
        n
        for n in (SAMPLE if options.sample else SYSTEMS)
        if not set(options.only) & {*SYSTEMS} or n in options.only
    ]
    verbs = [v for v in VERBS if not set(options.only) & {*VERBS} or v in options.only]
    count = bad = 0
    for name in names:
        for verb in verbs:
            most = OF_LARGE if name in LARGE else SECONDS
            word, length, seconds, why = ask(name, verb, options.patience * most)
            wrong = word in ("refused", "failed", "died", "no end") or seconds > most or length > LETTERS
            bad += wrong
            count += 1
            mark = "!" if wrong else " "
            print(f"{mark} {name:20s} {verb:14s} {word}; {length}; {seconds:.1f}  {why[-300:]}", flush=True)
    print(f"{count} questions, {bad} not answered as they should be")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
