"""Zero-setup PostgreSQL: started by the first process that needs it, stopped by the last."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import platformdirs
import psycopg

from recalld.store import embedded_cluster as clusters
from recalld.store.embedded_cluster import NAME, PORT, STOP_SECONDS, Cluster, EmbeddedPostgresError

if sys.platform != "win32":
    import fcntl

__all__ = ["EmbeddedPostgresError", "EmbeddedServer", "default_data_dir", "start"]

_RETRY_SECONDS = 0.05


@dataclass(slots=True)
class _Lease:
    """A shared lock on users.lock: the kernel drops it when the process dies, however it dies."""

    descriptor: int | None

    @classmethod
    def take(cls, cluster: Cluster) -> _Lease:
        descriptor = os.open(cluster.data_dir / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return cls(descriptor)

    def release(self) -> bool:
        """Give the lease back; true when nobody else holds one. Call it under the start lock only."""
        if self.descriptor is None:
            return False
        try:
            return _try_exclusive(self.descriptor)
        finally:
            _unlock(self.descriptor)
            self.descriptor = None


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server this process may use until ``close``."""

    url: str
    data_dir: Path
    _cluster: Cluster = field(repr=False, compare=False)
    _lease: _Lease = field(repr=False, compare=False)

    def close(self) -> None:
        """Stop using the server, and stop it when no other process uses it. Closing twice is harmless."""
        with _start_lock(self._cluster, time.monotonic() + STOP_SECONDS):
            if self._lease.release():
                clusters.stop(self._cluster)


def default_data_dir() -> Path:
    """Where the database lives unless configured: /var/lib for root, the user's data directory otherwise."""
    if sys.platform != "win32" and os.geteuid() == 0:
        return Path("/var/lib") / NAME
    return platformdirs.user_data_path(NAME)


def start(data_dir: Path, *, timeout: float = 60.0) -> EmbeddedServer:
    """Start the server of ``data_dir``, or join it when it runs; makes what is missing."""
    if sys.platform == "win32":
        message = (
            "The embedded PostgreSQL needs a POSIX system; set RECALLD_DATABASE_URL to a PostgreSQL server."
        )
        raise EmbeddedPostgresError(message)
    deadline = time.monotonic() + timeout
    cluster = Cluster(data_dir.expanduser().resolve(), clusters.find_account())
    clusters.make_data_dir(cluster)
    with _start_lock(cluster, deadline):
        lease = _Lease.take(cluster)
        try:
            socket_dir = _ensure_running(cluster, deadline)
        except BaseException:
            if lease.release():
                clusters.stop(cluster)
            raise
    url = f"postgresql://{NAME}@/{NAME}?host={quote(str(socket_dir))}&port={PORT}"
    return EmbeddedServer(url, cluster.data_dir, cluster, lease)


@contextmanager
def _start_lock(cluster: Cluster, deadline: float) -> Iterator[None]:
    path = cluster.data_dir / "start.lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        message = f"Cannot open {path} ({error.strerror}); set RECALLD_DATA_DIR to a directory of your own."
        raise EmbeddedPostgresError(message) from error
    try:
        while not _try_exclusive(descriptor):
            if time.monotonic() > deadline:
                message = f"Another process keeps starting or stopping the database in {path.parent}."
                raise EmbeddedPostgresError(message)
            time.sleep(_RETRY_SECONDS)
        yield
    finally:
        _unlock(descriptor)


def _try_exclusive(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(descriptor: int) -> None:
    # Closing alone would leave the lock with any forked child that inherited the descriptor.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _ensure_running(cluster: Cluster, deadline: float) -> Path:
    while True:
        socket_dir = clusters.recorded_socket_dir(cluster)
        if socket_dir is not None and _create_database(socket_dir):
            return socket_dir
        if time.monotonic() > deadline:
            message = f"The database in {cluster.data_dir} accepts no connections; see {cluster.log}."
            raise EmbeddedPostgresError(message)
        if clusters.running(cluster):
            time.sleep(_RETRY_SECONDS)
        else:
            clusters.initialise(cluster, deadline)
            clusters.launch(cluster, deadline)


def _create_database(socket_dir: Path) -> bool:
    try:
        connection = psycopg.connect(
            host=str(socket_dir), port=PORT, user=NAME, dbname="postgres", autocommit=True, connect_timeout=5
        )
    except psycopg.OperationalError:
        return False
    with connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (NAME,)).fetchone() is None:
            connection.execute(f"CREATE DATABASE {NAME}")
    return True
