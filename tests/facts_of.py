"""All that chetaev says about models, as JSON without times, versions and dates.

``python tests/facts_of.py NAME …`` prints a line for each; ``--study`` adds a complete study.
"""

from __future__ import annotations

import json
import sys
from tempfile import TemporaryDirectory
from typing import Any

import chetaev as ch
from chetaev.laws.integrals import judged
from chetaev.model.system_display import facts

OF_THIS_RUN = ("started", "versions", "machine", "seconds", "wall_time", "created", "cite")


def without_times(data: Any) -> Any:
    """The data without what is of one run, on one machine, only."""
    if isinstance(data, dict):
        return {k: without_times(x) for k, x in data.items() if k not in OF_THIS_RUN}
    return [without_times(x) for x in data] if isinstance(data, list) else data


def everything(name: str, *, study: bool) -> dict[str, Any]:
    """What ``show``, ``compare``, ``laws`` (and ``study``) say with ``--json``."""
    system = ch.load(name)
    said = {
        "show": facts(system) | {"classification": ch.classify(system).to_json()},
        "compare": ch.compare(system, samples=8).to_json(),
        "laws": [law.to_json() for law in judged(system)],
        "states": system.random_states(3, seed=1),
    }
    if study:
        with TemporaryDirectory() as place:
            said["study"] = ch.study(system, place, budget=3600).to_json()
    return without_times(said)


if __name__ == "__main__":
    names = [x for x in sys.argv[1:] if x != "--study"]
    for name in names:
        said = everything(name, study="--study" in sys.argv)
        print(json.dumps({name: said}, ensure_ascii=False), flush=True)
