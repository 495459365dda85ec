"""A sweep on a Dask cluster is that of one machine, also when a worker is lost or the store is remote."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import chetaev as ch
from chetaev.ensemble import cluster
from chetaev.ensemble.store_places import OWNER, Remote
from portions import SOAK

DISC = ch.load("rolling-disc")
OVER = {"theta": "0.1:0.5:10", "psi_dot": [2, 8]}
ASKED: dict[str, Any] = {"until": 1.0, "keep": ["final", "laws"], "chunk": 2}
quiet = pytest.mark.filterwarnings("ignore")  # what libraries of clusters and clouds warn of is theirs


@pytest.mark.slow
def test_nothing_of_dask_is_imported_without_a_cluster() -> None:
    program = (
        "import sys, chetaev as ch\n"
        "ch.ensemble(ch.load('knife-edge'), {'phi': [0, 1]}, until=0.1)\n"
        "import chetaev.ensemble.store\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('distributed', 'fsspec', 's3fs')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_what_is_no_scheduler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER", "1s")
    with pytest.raises(ch.ModelError, match="a store, and none is given"):
        ch.ensemble(DISC, OVER, scheduler="tcp://127.0.0.1:1", **ASKED)
    for wrong, said in ((3, "the scheduler is a"), ("tcp://127.0.0.1:1", "no Dask scheduler answers")):
        with pytest.raises(ch.ModelError, match=said):
            ch.ensemble(DISC, OVER, scheduler=wrong, store=tmp_path / "out.zarr", **ASKED)
        assert not (tmp_path / "out.zarr").exists()


@quiet
def test_a_remote_store_is_the_local_one_and_is_resumed() -> None:
    url = "memory://ensemble/out.zarr"
    found = ch.ensemble(DISC, OVER, store=url, **ASKED)
    assert found.load().identical(ch.ensemble(DISC, OVER, **{**ASKED, "chunk": None}))
    place = Remote(url)
    place.remove(".chetaev/chunks/00000003.json")
    seen: list[float] = []
    ch.ensemble(DISC, OVER, store=url, progress=seen.append, **ASKED)
    assert seen[0] == 18 / 20
    assert place.read(OWNER) is None


def test_an_address_of_an_unknown_kind_is_said() -> None:
    with pytest.raises(ch.ModelError, match="nowhere://"):
        ch.ensemble(DISC, OVER, store="nowhere://x", **ASKED)


@quiet
@pytest.mark.slow
def test_two_workers_one_killed(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    alone = ch.ensemble(DISC, OVER, **{**ASKED, "chunk": None})
    killed: list[int] = []
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as workers,
        Client(workers) as client,
    ):

        def told(part: float) -> None:
            if part > 0.2 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        found = ch.ensemble(
            DISC, OVER, store=tmp_path / "out.zarr", scheduler=client, progress=told, **ASKED
        ).load()
        again = ch.ensemble(DISC, OVER, store=tmp_path / "out.zarr", scheduler=workers, **ASKED)
    assert killed
    assert found.identical(alone)
    assert again.load().identical(alone)


def dask(*arguments: str) -> subprocess.Popen[bytes]:
    """A process of Dask's own command."""
    command = [sys.executable, "-m", "dask", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_the_command_with_scheduler_and_workers_as_processes_one_of_them_killed(tmp_path: Path) -> None:
    with ExitStack() as stack:

        def started(*arguments: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(dask(*arguments))
            stack.callback(process.kill)
            return process

        found = tmp_path / "scheduler.json"
        scheduler = started(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(found),
        )
        while not found.exists() or not found.read_text():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(found.read_text())["address"]
        workers = [
            started("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny") for _ in range(2)
        ]
        store = tmp_path / "out.zarr"
        sweep = subprocess.Popen(
            [
                sys.executable, "-m", "chetaev", "sweep", "rolling-disc", "--grid", "theta=0.1:0.5:12",
                "--grid", "psi_dot=2,8", "--until", "1", "-o", str(store), "--chunk", "1",
                "--scheduler", address,
            ],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        while not any(store.glob(".chetaev/chunks/[0-9]*.json")):  # from an empty store to its first chunk
            assert sweep.poll() is None, sweep.communicate()[0]
            time.sleep(0.05)
        workers[0].kill()
        printed = sweep.communicate()[0]
        assert sweep.returncode == 0, printed
    assert len(list(store.glob(".chetaev/chunks/[0-9]*.json"))) == 24
    alone = ch.ensemble(DISC, {"theta": "0.1:0.5:12", "psi_dot": [2, 8]}, until=1.0)
    assert np.array_equal(xr.open_zarr(store)["theta"].values, alone["theta"].values)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a server on this machine that speaks S3."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        for name, value in (
            ("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test"), ("AWS_ENDPOINT_URL", address),
            ("AWS_ENDPOINT_URL_S3", address), ("AWS_DEFAULT_REGION", "us-east-1"),
        ):  # fmt: skip
            monkeypatch.setenv(name, value)
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()  # they know another server
        name = f"motions-{os.urandom(4).hex()}"
        s3fs.S3FileSystem(endpoint_url=address).mkdir(name)
        yield f"s3://{name}"
    finally:
        server.stop()


@quiet
@pytest.mark.slow
def test_a_store_on_a_server_that_speaks_s3(bucket: str) -> None:
    first, second = Remote(f"{bucket}/one"), Remote(f"{bucket}/one")
    assert first.create("lock", b"1")
    assert not second.create("lock", b"2")
    assert second.read("lock") == b"1"
    found = ch.ensemble(DISC, OVER, store=f"{bucket}/out.zarr", **ASKED).load()
    assert found.identical(ch.ensemble(DISC, OVER, **{**ASKED, "chunk": None}))
    seen: list[float] = []
    ch.ensemble(DISC, OVER, store=f"{bucket}/out.zarr", progress=seen.append, **ASKED)
    assert seen == [1.0]


def engines() -> list[int]:
    """The compiled systems that a worker has."""
    return [id(engine) for engine in cluster._engines.values()]


@quiet
@pytest.mark.slow
@SOAK[1]
def test_workers_that_come_late_and_are_lost_write_to_a_server_that_speaks_s3(bucket: str) -> None:
    import dask
    from distributed import Client, LocalCluster

    alone = ch.ensemble(DISC, OVER, **{**ASKED, "chunk": None})
    killed: list[int] = []
    compiled: dict[str, set[int]] = {}
    seen: list[float] = []
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),  # so that Dask gives chunks up
        LocalCluster(
            n_workers=0, threads_per_worker=2, processes=True, dashboard_address=None, silence_logs=50
        ) as workers,
        Client(workers) as client,
    ):

        def told(part: float) -> None:
            if not seen:
                workers.scale(2)
            seen.append(part)
            if part > 0.2 and not killed:
                for worker, found in client.run(engines, on_error="ignore").items():
                    compiled.setdefault(worker, set()).update(found)
            if part > 0.4 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        found = ch.ensemble(
            DISC, OVER, store=f"{bucket}/out.zarr", scheduler=client, progress=told, **ASKED
        ).load()
    assert killed
    assert found.identical(alone)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert all(len(own) <= 1 for own in compiled.values())  # a worker compiles once


@quiet
@pytest.mark.slow
@SOAK[1]
def test_an_interrupt_cancels_and_the_same_call_goes_on(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    store, seen = tmp_path / "out.zarr", []

    def interrupted(part: float) -> None:
        if part > 0.3:
            raise KeyboardInterrupt

    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as workers,
        Client(workers) as client,
    ):
        with pytest.raises(KeyboardInterrupt):
            ch.ensemble(DISC, OVER, store=store, scheduler=client, progress=interrupted, **ASKED)
        found = ch.ensemble(DISC, OVER, store=store, scheduler=client, progress=seen.append, **ASKED)
    assert 0.3 < seen[0] < 1
    assert found.load().identical(ch.ensemble(DISC, OVER, **{**ASKED, "chunk": None}))
