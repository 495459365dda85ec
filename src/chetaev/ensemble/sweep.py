"""An ensemble into a store, a chunk at a time; what is there already is not computed again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from chetaev.ensemble.ensemble_engine import EnsembleEngine
from chetaev.ensemble.ensemble_job import Job
from chetaev.ensemble.ensemble_results import opened
from chetaev.ensemble.locks import held
from chetaev.ensemble.store import ChunkStore, expect_ours
from chetaev.ensemble.store_places import Directory, Remote, place_at

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
    if scheduler is not None:
        from chetaev.ensemble.cluster import client_of, fill_on_cluster

        workers: Any = client_of(scheduler)  # now: whoever does not answer is told of before a store is begun
    else:
        workers = nullcontext()
    with workers as client:
        expect_ours(place)
        with held(place) as expect_held:
            if isinstance(place, Directory):
                place.tidy()
            store = ChunkStore.prepared(place, job, chunk)
            if client is None:
                fill(store, threads, lanes, progress, expect_held)
            else:
                fill_on_cluster(store, client, lanes, progress, expect_held)
    return result(store)


def fill(
    store: ChunkStore,
    threads: int | None,
    lanes: int | None,
    progress: Callable[[float], None] | None,
    expect_held: Callable[[], None],
) -> int:
    """Compute the chunks that are missing while the store is held; returns how many there were."""
    total = store.job.members.count
    finished = store.finished()
    done = sum(b - a for a, b in map(store.bounds, finished))
    if progress is not None:
        progress(done / total)
    if done == total:
        return 0
    with EnsembleEngine(store.job, threads, lanes) as engine:
        for number in store.missing(finished):
            start, stop = store.bounds(number)
            before = done
            told = None if progress is None else lambda n, before=before: progress((before + n) / total)
            rows = engine.run(start, stop, told)
            expect_held()
            store.write(number, rows)
            done += stop - start
    return store.chunks - len(finished)


def result(store: ChunkStore) -> xarray.Dataset:
    """The data set of a store."""
    place: Directory | Remote = store.place
    options = place.options if isinstance(place, Remote) else None
    return opened(store.job, place.url, options)
