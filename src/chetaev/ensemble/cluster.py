"""The chunks of a sweep as tasks of a Dask cluster; nothing of Dask is imported without it.

A task computes one chunk and writes it to the store, which all workers must reach: a directory on shared
storage, or an address of fsspec's. What comes back to the client is the number of the chunk. A worker keeps
the compiled system for the tasks to come. A chunk whose worker is lost is computed again by another: writing
it twice writes the same bits. A bounded number of tasks is under way at a time, so the client's memory does
not grow with the ensemble; an interrupt cancels them, and the same call goes on later.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from chetaev.ensemble.engine import EnsembleEngine
from chetaev.ensemble.places import Directory, Remote
from chetaev.ensemble.store import ChunkStore
from chetaev.errors import ModelError

RETRIES = 5
"""So many workers may be lost with a chunk before it is given up."""
AHEAD = 4
"""Tasks for each thread of the cluster that are under way or wait."""

LARGE = 2**20
"""Jobs of so many bytes, with long lists of values, are sent to each worker once and not with each task."""

_engines: dict[str, EnsembleEngine] = {}
_lock = threading.Lock()


@contextmanager
def client_of(scheduler: Any) -> Iterator[Any]:
    """A client of Dask's: the one that is given, or one for the address of a scheduler."""
    try:
        import distributed
    except ImportError:
        raise ModelError(
            "a cluster needs Dask, which is not installed", remedy="pip install 'chetaev[cluster]'"
        ) from None
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    if not isinstance(scheduler, str) or not scheduler:
        raise ModelError(
            f"the scheduler is a {type(scheduler).__name__}",
            expected="the address of a Dask scheduler, 'tcp://10.0.0.1:8786', or a dask.distributed.Client",
        )
    try:
        make: Any = distributed.Client
        client = make(scheduler, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ModelError(
            f"no Dask scheduler answers at {scheduler!r}: {error}",
            remedy="start one with 'dask scheduler', and workers with 'dask worker ADDRESS'",
        ) from None
    with client:
        yield client


def compute_chunk(
    packed: bytes, place: Directory | Remote, chunk: int, number: int, lanes: int | None
) -> int:
    """What a worker does: compute a chunk and write it; returns its number."""
    from distributed import get_worker

    key = hashlib.sha256(packed).hexdigest()
    with _lock:  # the first task of a worker compiles; those beside it wait for that
        engine = _engines.get(key)
        if engine is None:
            _engines.clear()
            engine = _engines[key] = EnsembleEngine(pickle.loads(packed), get_worker().state.nthreads, lanes)
            engine.__enter__()
    store = ChunkStore(place, engine.job, chunk)
    store.write(number, engine.run(*store.bounds(number)))
    return number


def fill_on_cluster(
    store: ChunkStore, scheduler: Any, lanes: int | None, progress: Callable[[float], None] | None
) -> int:
    """Compute the chunks that are missing on a cluster; returns how many there were."""
    total = store.job.members.count
    missing = list(store.missing())
    done = total - sum(b - a for a, b in map(store.bounds, missing))
    if progress is not None:
        progress(done / total)
    if not missing:
        return 0
    with client_of(scheduler) as client:
        _run(client, store, missing, lanes, lambda n: _tell(progress, n, total), done)
    return len(missing)


def _tell(progress: Callable[[float], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done / total)


def _run(
    client: Any,
    store: ChunkStore,
    missing: list[int],
    lanes: int | None,
    told: Callable[[int], None],
    done: int,
) -> None:
    import distributed

    packed = pickle.dumps(store.job)
    handed = packed if len(packed) < LARGE else client.scatter(packed, broadcast=True)
    waiting = iter(missing)
    limit = max(4, AHEAD * sum(client.nthreads().values()))

    def submit(number: int) -> Any:
        return client.submit(
            compute_chunk, handed, store.place, store.chunk, number, lanes,
            pure=False, retries=RETRIES, key=f"chetaev-{store.place.url}-{number}",
        )  # fmt: skip

    running = [submit(number) for _, number in zip(range(limit), waiting, strict=False)]
    completed: Any = distributed.as_completed
    futures = completed(running)
    open_ = set(running)
    try:
        for future in futures:
            open_.discard(future)
            try:
                start, stop = store.bounds(future.result())
            except ModelError:
                raise
            except Exception as error:
                raise ModelError(
                    f"a worker of the cluster cannot compute a chunk: {type(error).__name__}: {error}",
                    remedy="what is finished is kept; the same command goes on from there",
                ) from None
            done += stop - start
            told(done)
            following = next(waiting, None)
            if following is not None:
                another = submit(following)
                open_.add(another)
                futures.add(another)
    finally:
        if open_:
            client.cancel(list(open_), force=True)
