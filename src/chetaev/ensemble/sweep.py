"""An ensemble into a store, a chunk at a time; what is there already is not computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chetaev.ensemble.engine import EnsembleEngine
from chetaev.ensemble.job import Job
from chetaev.ensemble.locks import held
from chetaev.ensemble.places import Directory, Remote, place_at
from chetaev.ensemble.results import opened
from chetaev.ensemble.store import ChunkStore, expect_ours

if TYPE_CHECKING:
    import xarray


def sweep(
    job: Job,
    where: Any,
    chunk: int | None,
    threads: int | None,
    lanes: int | None,
    scheduler: Any,
    progress: Callable[[float], None] | None,
) -> xarray.Dataset:
    """Compute what is missing in a store, and open it.

    Memory is bounded by a chunk. An interrupt leaves all finished chunks.
    """
    place = place_at(where)
    expect_ours(place)
    with held(place):
        if isinstance(place, Directory):
            place.tidy()
        store = ChunkStore.prepared(place, job, chunk)
        if scheduler is None:
            fill(store, threads, lanes, progress)
        else:
            from chetaev.ensemble.cluster import fill_on_cluster

            fill_on_cluster(store, scheduler, lanes, progress)
    return result(store)


def fill(
    store: ChunkStore, threads: int | None, lanes: int | None, progress: Callable[[float], None] | None
) -> int:
    """Compute the chunks that are missing; returns how many there were."""
    total = store.job.members.count
    missing = list(store.missing())
    done = total - sum(b - a for a, b in map(store.bounds, missing))
    if progress is not None:
        progress(done / total)
    if not missing:
        return 0
    with EnsembleEngine(store.job, threads, lanes) as engine:
        for number in missing:
            start, stop = store.bounds(number)
            before = done
            told = None if progress is None else lambda n, before=before: progress((before + n) / total)
            store.write(number, engine.run(start, stop, told))
            done += stop - start
    return len(missing)


def result(store: ChunkStore) -> xarray.Dataset:
    """The data set of a store."""
    place: Directory | Remote = store.place
    options = place.options if isinstance(place, Remote) else None
    return opened(store.job, place.url, options)
