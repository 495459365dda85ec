"""A sweep on disk: a zarr store (format 2) whose chunks are whole or absent.

    out.zarr/.zgroup .zattrs .zmetadata           what zarr and xarray read
    out.zarr/final/0.0  final/1.0  …              one file for each variable and chunk of members
    out.zarr/.chetaev/manifest.json               what the sweep is: model, members, tolerance, versions
    out.zarr/.chetaev/chunks/00000000.json        the chunk is finished; a SHA-256 of each of its files

A chunk counts when its record is there and its files have the hashes that the record has; so a process that
was killed, a full disk or a lost machine costs the chunks that were being computed, and nothing else. What
zarr and xarray read besides, and the manifest, are compared with what the sweep says each time it begins or
goes on, and written anew where they are damaged. Among the variables the status comes last, and is empty
where nothing has been computed yet.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.ensemble.ensemble_engine import EnsembleEngine
from chetaev.ensemble.ensemble_job import Job, attributes, coordinates
from chetaev.ensemble.store_places import Directory, Remote, locked, place_at
from chetaev.errors import ModelError

if TYPE_CHECKING:
    import xarray

FORMAT = 2
MANIFEST = ".chetaev/manifest.json"
RECORDS = ".chetaev/chunks"
LEVEL = 1
"""Of the compression of texts; numbers are stored as they are."""
READERS = 8
"""Chunks that are looked at side by side when a sweep goes on: at an address each takes its time."""
TARGET = 2**25
"""Bytes of a chunk, about."""
WORDS = {
    "version": "of another version of chetaev",
    "model": "of another model",
    "members": "over other members",
    "chunk": "in other chunks",
}


def chunk_size(job: Job) -> int:
    """How many members a chunk has where nobody says."""
    fitting = max(1, TARGET // job.bytes_per_member)
    return max(1, min(job.members.count, fitting, max(1000, job.members.count // 10_000)))


class ChunkStore:
    """The store of a job at a place, in chunks of so many members."""

    def __init__(self, place: Directory | Remote, job: Job, chunk: int) -> None:
        self.place, self.job, self.chunk = place, job, chunk

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.job.members.count // self.chunk)

    @cached_property
    def sweep(self) -> str:
        """A hash of what the sweep is; every chunk's record has it."""
        return _seal(_text(self.manifest()))

    def bounds(self, number: int) -> tuple[int, int]:
        """The first member of a chunk, and the first that is not in it."""
        return number * self.chunk, min((number + 1) * self.chunk, self.job.members.count)

    # --- beginning ----------------------------------------------------------------------------------------

    @classmethod
    def prepared(cls, place: Directory | Remote, job: Job, chunk: int | None) -> ChunkStore:
        """The store, made or found again; a ModelError if it is another sweep's. The lock must be held."""
        content = place.read(MANIFEST)
        known = _manifest(content, place.url)
        if known is not None:
            store = cls(place, job, int(known["chunk"]) if chunk is None else chunk)
            store._expect_same(known)
        else:
            store = cls(place, job, chunk or _recorded_chunk(place) or chunk_size(job))
            if content is not None:
                store._expect_own_records()
            place.write(MANIFEST, _text(store.manifest()))
        for name, wanted in store.metadata().items():
            if not _holds(place.read(name), wanted):
                place.write(name, wanted)
        return store

    def manifest(self) -> dict[str, Any]:
        """What the sweep is, as plain data."""
        return {"format": FORMAT, "chunk": self.chunk, **self.job.facts()}

    def _expect_same(self, known: dict[str, Any]) -> None:
        own = json.loads(_text(self.manifest()))
        for key, value in own.items():
            if known.get(key) != value:
                what = WORDS.get(key, f"with another {key}")
                short = ""
                if key not in ("model", "members") and len(f"{known.get(key)}{value}") < 120:
                    short = f": there it is {known.get(key)!r}, here {value!r}"
                raise ModelError(
                    f"{self.place.url!r} holds a sweep {what}{short}",
                    remedy="choose another store, or ask for what that one holds",
                )

    def _expect_own_records(self) -> None:
        """Where the manifest is damaged, the records of finished chunks say whose they are."""
        for name in self.place.names(RECORDS):
            record = _json(self.place.read(f"{RECORDS}/{name}"))
            if record is not None and record.get("sweep") != self.sweep:
                raise ModelError(
                    f"the manifest of {self.place.url!r} is damaged, and its chunks are of another sweep",
                    remedy="choose another store, or give the arguments and the chunk of that sweep",
                )

    def metadata(self) -> dict[str, bytes]:
        """What zarr and xarray read besides the chunks, as zarr writes it; ``.zmetadata`` last."""
        import zarr
        from numcodecs import Zlib

        job, written = self.job, dict[str, Any]()
        labels = [label for label, _ in coordinates(job)]
        facts = {**attributes(job), **({"coordinates": " ".join(labels)} if labels else {})}
        group = zarr.create_group(zarr.storage.MemoryStore(written), zarr_format=2, attributes=facts)

        def array(name: str, dims: tuple[str, ...], shape: tuple[int, ...], dtype: str, **more: str) -> Any:
            chunks = (self.chunk, *shape[1:]) if dims[:1] == ("run",) else shape
            kind = np.dtype(dtype).kind
            return group.create_array(
                name,
                shape=shape,
                chunks=tuple(max(1, length) for length in chunks),
                dtype=dtype,
                fill_value=np.nan if kind == "f" else None,
                compressors=Zlib(LEVEL) if kind == "U" else None,
                attributes={"_ARRAY_DIMENSIONS": list(dims), **more},
            )

        count = job.members.count
        for v in job.variables:
            array(v.name, ("run", *v.dims), (count, *job.shape(v)), v.dtype, long_name=v.about)
        for name in ("run", *labels):
            array(name, ("run",), (count,), "<i8" if name == "run" else "<f8")
        for name, values in job.labels.items():
            named = np.array(values) if values and isinstance(values[0], str) else np.array(values, "<f8")
            array(name, (name,), named.shape, named.dtype.str)[...] = named
        zarr.consolidate_metadata(group.store, zarr_format=2)
        return {name: content.to_bytes() for name, content in written.items()}

    # --- chunks -------------------------------------------------------------------------------------------

    def finished(self) -> set[int]:
        """The chunks that are finished and are what their records say."""
        recorded = [int(name[:-5]) for name in self.place.names(RECORDS) if name[:-5].isdecimal()]
        numbers = [number for number in recorded if number < self.chunks]
        pool = ThreadPoolExecutor(READERS)
        try:
            return {n for n, whole in zip(numbers, pool.map(self.is_whole, numbers), strict=True) if whole}
        finally:
            pool.shutdown(cancel_futures=True)

    def missing(self, finished: set[int]) -> Iterator[int]:
        """The other chunks; one at a time, as there may be many millions."""
        return (number for number in range(self.chunks) if number not in finished)

    def is_whole(self, number: int) -> bool:
        """Whether a chunk is finished, and its files are what its record says."""
        record = _json(self.place.read(f"{RECORDS}/{number:08}.json")) or {}
        files = record.get("files") if record.get("sweep") == self.sweep else None
        return (
            isinstance(files, dict)
            and bool(files)
            and all(_seal(self.place.read(name) or b"") == seal for name, seal in files.items())
        )

    def write(self, number: int, rows: dict[str, Any]) -> None:
        """Keep the rows of a chunk: its files first, then its record."""
        start, stop = self.bounds(number)
        arrays = [("run", np.arange(start, stop), 1)]
        arrays += [(label, rows[label], 1) for label, _ in coordinates(self.job)]
        arrays += [(v.name, rows[v.name], 1 + len(v.dims)) for v in self.job.variables]
        seals: dict[str, str] = {}
        for name, values, dims in arrays:
            if 0 in values.shape[1:]:
                continue
            content = _packed(_padded(values, self.chunk))
            file = f"{name}/{number}{'.0' * (dims - 1)}"
            self.place.write(file, content)
            seals[file] = _seal(content)
        record = {"sweep": self.sweep, "members": [start, stop], "files": seals}
        self.place.write(f"{RECORDS}/{number:08}.json", _text(record))


# --- a sweep into a store ---------------------------------------------------------------------------------


def sweep(
    job: Job,
    where: Any,
    chunk: int | None,
    threads: int | None,
    lanes: int | None,
    scheduler: Any,
    progress: Callable[[float], None] | None,
) -> xarray.Dataset:
    """Compute what is missing in a store, a chunk at a time, and open it.

    Memory is bounded by a chunk. An interrupt leaves all finished chunks.
    """
    place = place_at(where)
    if scheduler is not None:
        from chetaev.ensemble.cluster import client_of, computed_on_cluster

        workers: Any = client_of(scheduler)  # an error now, before a store is begun
    else:
        workers = nullcontext()
    with workers as client:
        _expect_ours(place)
        with locked(place):
            if isinstance(place, Directory):
                place.tidy()
            store = ChunkStore.prepared(place, job, chunk)
            fill(
                store,
                progress,
                (lambda missing, report: computed_here(store, missing, report, threads, lanes))
                if client is None
                else (lambda missing, _: computed_on_cluster(store, missing, client, lanes)),
            )
    return opened(job, place)


Computed = Callable[[Iterator[int], Callable[[int], None]], Generator[int, None, None]]
"""Computes and writes chunks, given those that are missing and what takes counts of members that are done of
the next one; yields the numbers of the chunks that are finished."""


def fill(store: ChunkStore, progress: Callable[[float], None] | None, computed: Computed) -> int:
    """Have the chunks computed that are missing while the store is locked; returns how many there were."""
    total = store.job.members.count
    finished = store.finished()
    done = sum(b - a for a, b in map(store.bounds, finished))

    def report(more: int = 0) -> None:
        if progress is not None:
            progress((done + more) / total)

    report()
    if done < total:
        with closing(computed(store.missing(finished), report)) as numbers:
            for number in numbers:
                start, stop = store.bounds(number)
                done += stop - start
                report()
    return store.chunks - len(finished)


def computed_here(
    store: ChunkStore,
    missing: Iterator[int],
    report: Callable[[int], None],
    threads: int | None,
    lanes: int | None,
) -> Generator[int, None, None]:
    """Compute chunks in threads of this process."""
    with EnsembleEngine(store.job, threads, lanes) as engine:
        for number in missing:
            store.write(number, engine.run(*store.bounds(number), report))
            yield number


def opened(job: Job, place: Directory | Remote) -> xarray.Dataset:
    """The data set of a store; values are read when they are looked at."""
    import xarray

    options = place.options if isinstance(place, Remote) else None
    found = xarray.open_dataset(
        place.url, engine="zarr", chunks=None, consolidated=True, storage_options=options or None
    )
    return found.set_coords([label for label, _ in coordinates(job)])


def _expect_ours(place: Directory | Remote) -> None:
    """Refuse a place where something stands that is no sweep: the manifest is the first of its files."""
    if place.is_empty() or place.read(MANIFEST) is not None:
        return
    begun = place.names("") == [".chetaev"] and set(place.names(".chetaev")) <= {"lock", "owner"}
    if not begun:  # else a sweep ended here before it wrote anything
        raise ModelError(
            f"at {place.url!r} stands something that is no sweep",
            remedy="choose another name for the store",
        )


# --- bytes ------------------------------------------------------------------------------------------------


def _json(content: bytes | None) -> dict[str, Any] | None:
    """The table in a file; None if there is none, or it is damaged."""
    try:
        data = json.loads(content or b"")
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _manifest(content: bytes | None, url: str) -> dict[str, Any] | None:
    """What a manifest says; None where it is missing or damaged, a ModelError for another format."""
    known = _json(content)
    if known is not None and (known.get("format") != FORMAT or not isinstance(known.get("chunk"), int)):
        raise ModelError(f"{url!r} is a sweep in a format that this version does not read")
    return known


def _recorded_chunk(place: Directory | Remote) -> int | None:
    """The members of the first chunk, as its record has them."""
    record = _json(place.read(f"{RECORDS}/{0:08}.json")) or {}
    match record.get("members"):
        case [0, int(stop)] if stop > 0:
            return stop
    return None


def _holds(content: bytes | None, wanted: bytes) -> bool:
    """Whether a file is as wanted; in JSON, others may have added to it."""
    if content is None or not wanted.startswith(b"{"):
        return content == wanted

    def within(small: Any, large: Any) -> bool:
        if isinstance(small, dict) and isinstance(large, dict):
            return all(key in large and within(value, large[key]) for key, value in small.items())
        return bool(small == large)

    return within(_json(wanted), _json(content))


def _seal(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _padded(values: Any, length: int) -> Any:
    if len(values) == length:
        return values
    return np.concatenate([values, np.zeros((length - len(values), *values.shape[1:]), values.dtype)])


def _packed(values: Any) -> bytes:
    """A chunk as zarr reads it: the numbers as they are, texts compressed."""
    content = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    return zlib.compress(content, LEVEL) if values.dtype.kind == "U" else content


def _text(data: Any) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
