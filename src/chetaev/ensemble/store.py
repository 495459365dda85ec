"""A sweep on disk: a zarr store (format 2) whose chunks are whole or absent.

    out.zarr/.zgroup .zattrs .zmetadata           what zarr and xarray read
    out.zarr/final/0.0  final/1.0  …              one file for each variable and chunk of members
    out.zarr/.chetaev/manifest.json               what the sweep is: model, members, tolerance, versions
    out.zarr/.chetaev/chunks/00000000.json        the chunk is finished; a SHA-256 of each of its files

A chunk counts when its record is there and its files have the hashes that the record has; so a process that
was killed, a full disk or a lost machine costs the chunks that were being computed, and nothing else. Among
the variables the status comes last, and is empty where nothing has been computed yet.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from chetaev.ensemble.ensemble_job import Job
from chetaev.ensemble.ensemble_results import attributes, coordinates
from chetaev.ensemble.store_places import Directory, Remote
from chetaev.errors import ModelError

FORMAT = 2
MANIFEST = ".chetaev/manifest.json"
RECORDS = ".chetaev/chunks"
CONSOLIDATED = ".zmetadata"
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
        found = place.read(MANIFEST)
        if found is not None:
            known = _read(found, place.url)
            store = cls(place, job, int(known["chunk"]) if chunk is None else chunk)
            store._expect_same(known)
        else:
            store = cls(place, job, chunk or chunk_size(job))
            place.write(MANIFEST, _text(store.manifest()))
        if place.read(CONSOLIDATED) is None:  # written last
            store._write_metadata()
        return store

    def manifest(self) -> dict[str, Any]:
        """What the sweep is, as plain data."""
        return {"format": FORMAT, "chunk": self.chunk, **self.job.facts()}

    def _expect_same(self, known: dict[str, Any]) -> None:
        own = json.loads(_text(self.manifest()))
        for key, value in own.items():
            if known.get(key) != value:
                said = WORDS.get(key, f"with another {key}")
                short = ""
                if key not in ("model", "members") and len(f"{known.get(key)}{value}") < 120:
                    short = f": there it is {known.get(key)!r}, here {value!r}"
                raise ModelError(
                    f"{self.place.url!r} holds a sweep {said}{short}",
                    remedy="choose another store, or ask for what that one holds",
                )

    def _write_metadata(self) -> None:
        job, count = self.job, self.job.members.count
        along = " ".join(
            label for label, _ in coordinates(job)
        )  # for xarray, which makes coordinates of them
        files: dict[str, Any] = {".zgroup": {"zarr_format": 2}}
        files[".zattrs"] = {**attributes(job), **({"coordinates": along} if along else {})}

        def array(name: str, dims: tuple[str, ...], shape: tuple[int, ...], dtype: str, more: Any) -> None:
            chunks = [self.chunk, *shape[1:]] if dims[:1] == ("run",) else [max(1, x) for x in shape]
            files[f"{name}/.zarray"] = {
                "zarr_format": 2,
                "shape": list(shape),
                "chunks": [max(1, x) for x in chunks],
                "dtype": dtype,
                "compressor": {"id": "zlib", "level": LEVEL} if "U" in dtype else None,
                "fill_value": "NaN" if dtype == "<f8" else None,
                "order": "C",
                "filters": None,
            }
            files[f"{name}/.zattrs"] = {"_ARRAY_DIMENSIONS": list(dims), **more}

        for v in job.variables:
            array(v.name, ("run", *v.dims), (count, *job.shape(v)), v.dtype, {"long_name": v.about})
        for name in ("run", *(label for label, _ in coordinates(job))):
            array(name, ("run",), (count,), "<i8" if name == "run" else "<f8", {})
        fixed: dict[str, bytes] = {}
        for name, labels in job.labels.items():
            values = _labels(labels)
            array(name, (name,), values.shape, values.dtype.str, {})
            fixed[f"{name}/0"] = _packed(values)
        for name, content in fixed.items():
            self.place.write(name, content)
        for name, data in files.items():
            self.place.write(name, _text(data))
        self.place.write(CONSOLIDATED, _text({"zarr_consolidated_format": 1, "metadata": files}))

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
        content = self.place.read(f"{RECORDS}/{number:08}.json")
        try:
            record = json.loads(content or b"{}")
            files = record["files"] if record["sweep"] == self.sweep else {}
            return bool(files) and all(
                hashlib.sha256(self.place.read(name) or b"").hexdigest() == seal
                for name, seal in files.items()
            )
        except (ValueError, KeyError, AttributeError, TypeError):
            return False

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


def expect_ours(place: Directory | Remote) -> None:
    """Refuse a place where something stands that is no sweep: the manifest is the first of its files."""
    if place.is_empty() or place.read(MANIFEST) is not None or _only_lock(place):
        return
    raise ModelError(
        f"at {place.url!r} stands something that is no sweep",
        remedy="choose another name for the store",
    )


def _only_lock(place: Directory | Remote) -> bool:
    """Whether a sweep ended here before it wrote anything."""
    return place.names("") == [".chetaev"] and set(place.names(".chetaev")) <= {"lock", "owner"}


def _read(content: bytes, url: str) -> dict[str, Any]:
    try:
        known = json.loads(content)
        if known["format"] == FORMAT and int(known["chunk"]) > 0:
            return dict(known)
    except (ValueError, KeyError, TypeError):
        pass
    raise ModelError(f"{url!r} is a sweep in a format that this version does not read")


def _seal(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _labels(labels: list[Any]) -> Any:
    if labels and not isinstance(labels[0], str):
        return np.array(labels, "<f8")
    return np.array(labels, dtype=f"<U{max([1, *map(len, labels)])}")


def _padded(values: Any, length: int) -> Any:
    if len(values) == length:
        return values
    return np.concatenate([values, np.zeros((length - len(values), *values.shape[1:]), values.dtype)])


def _packed(values: Any) -> bytes:
    content = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    return zlib.compress(content, LEVEL) if values.dtype.kind == "U" else content


def _text(data: Any) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
