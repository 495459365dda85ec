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
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from chetaev.ensemble.ensemble_engine import EnsembleEngine
from chetaev.ensemble.store import ChunkStore
from chetaev.ensemble.store_places import GOES_ON, Directory, Remote
from chetaev.errors import ModelError

RETRIES = 5
"""A chunk that Dask gives up, as several workers were lost with it, is handed out so many times again."""
ANSWER = "10s"
"""How long a scheduler may take to answer."""
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
        if scheduler.asynchronous:
            raise ModelError("the client is asynchronous", expected="Client(…, asynchronous=False)")
        yield scheduler
        return
    scheduler = getattr(scheduler, "scheduler_address", scheduler)  # of a cluster
    if not isinstance(scheduler, str) or not scheduler:
        raise ModelError(
            f"the scheduler is a {type(scheduler).__name__}",
            expected="the address of a Dask scheduler, 'tcp://10.0.0.1:8786', a cluster or a client",
        )
    try:
        make: Any = distributed.Client
        client = make(scheduler, timeout=ANSWER, set_as_default=False)
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


def computed_on_cluster(
    store: ChunkStore, missing: Iterator[int], client: Any, lanes: int | None
) -> Generator[int, None, None]:
    """Have chunks computed, as many at a time as there is room for now; yields each that is finished."""
    import distributed

    packed = pickle.dumps(store.job)
    handed = packed if len(packed) < LARGE else client.scatter(packed, broadcast=True)
    name = f"chetaev-{store.sweep[:16]}-{hashlib.sha256(store.place.url.encode()).hexdigest()[:16]}"
    lost: dict[int, int] = {}
    running: dict[Any, int] = {}
    completed: Any = distributed.as_completed
    futures = completed(
        loop=client.loop
    )  # without it Dask looks for a default client, and there need be none

    def submit(number: int) -> None:
        future = client.submit(
            compute_chunk, handed, store.place, store.chunk, number, lanes,
            pure=False, retries=RETRIES, key=f"{name}-{number}-{lost.get(number, 0)}",
        )  # fmt: skip
        running[future] = number
        futures.add(future)

    def fill_up() -> None:
        room = max(4, AHEAD * sum(client.nthreads().values())) - len(running)  # workers come and go
        for _, number in zip(range(room), missing, strict=False):
            submit(number)

    try:
        fill_up()
        while running:
            future = next(futures)
            number = running.pop(future)
            try:
                yield future.result()
            except ModelError:
                raise
            except distributed.KilledWorker as error:
                lost[number] = lost.get(number, 0) + 1
                if lost[number] > RETRIES:
                    raise _failed(error) from None
                submit(number)
            except Exception as error:
                raise _failed(error) from None
            fill_up()
    finally:
        if running:
            client.cancel(list(running), force=True)


def _failed(error: Exception) -> ModelError:
    return ModelError(
        f"a worker of the cluster cannot compute a chunk: {type(error).__name__}: {error}", remedy=GOES_ON
    )
