"""The wire format between a crawl and its clients, a JSON object a line, both ways; and the socket file it goes over.

{"do": "ban", "host": "example.org"}                   a command
{"done": {"host": "example.org", ...}}                 its answer, once a commit holds the change
{"failed": "x.test is not a host that ...", "exit": 2}    the error, as one sentence; nothing has changed

The socket file is beside the store, or elsewhere if that path is too long or cannot be used; that of a crawl in
partitions is in its folder. Only the holder of the store's lock listens. So a socket file found right after getting
the lock is left from a crawl that was killed.
"""

import asyncio
import contextlib
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any  # Any: JSON

from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SeedError, StoreError
from minicrawl.store.database import beside, real_path

LONGEST = 256 * 1024
"""Bytes of a line, at most."""

Message = Mapping[str, Any]
_ROOM_FOR_SEEDS = LONGEST - 100
FOR_RUNNING = frozenset({"pause", "resume", "stop", "status", "workers", "look"})
"""Commands for running crawls only; all others can also be done in the store."""
_KINDS: Mapping[object, type[MinicrawlError]] = {kind.exit_code: kind for kind in (ConfigError, StoreError)}


def line_of(message: Message) -> bytes:
    return json.dumps(message).encode("ascii") + b"\n"


def message_of(line: bytes) -> Message:
    """Parse a line. Raises ConfigError if it is not a message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"a message must be a JSON object on a line of its own, not {line[:40]!r}") from error
    if not isinstance(message, dict):
        raise ConfigError(f"a message must be a JSON object on a line of its own, not {line[:40]!r}")
    return message


def failed(error: MinicrawlError) -> Message:
    return {"failed": str(error), "exit": error.exit_code}


def answer_of(message: Message) -> Message:
    """The answer in a message. Raises the MinicrawlError of a failure."""
    sentence, answer = message.get("failed"), message.get("done")
    if isinstance(sentence, str):
        raise _KINDS.get(message.get("exit"), CrawlEndedError)(sentence)
    if not isinstance(answer, dict):
        raise StoreError("the program that listens beside the store is not a crawl; end it, or start the crawl again")
    return answer


def parts(urls: list[str], guessed: frozenset[str]) -> list[Message]:
    """Seeds as `add` commands, none of which is too long."""
    messages: list[Message] = []
    some: list[str] = []
    size = 0
    for url in urls:
        cost = 2 * (len(json.dumps(url)) + 2)  # twice, because it may stand among the guessed ones, too
        if cost > _ROOM_FOR_SEEDS:
            raise SeedError(f"a URL of {len(url):,} characters is too long to add: {url[:60]}...")
        if some and size + cost > _ROOM_FOR_SEEDS:
            messages.append(_seeds(some, guessed))
            some, size = [], 0
        some.append(url)
        size += cost
    return [*messages, _seeds(some, guessed)]


def _seeds(urls: list[str], guessed: frozenset[str]) -> Message:
    return {"do": "add", "urls": urls, "guessed": [url for url in urls if url in guessed]}


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_ENDING = ".sock"
_OF_A_FOLDER = "cluster"
_LONGEST_PATH = 103
"""Bytes: 107 on Linux, 103 on macOS and BSD (sun_path in sys/un.h, less the NUL at its end)."""


class SocketFile:
    """A bound socket and its path. It can be connected to once it listens, by its owner only."""

    def __init__(self, path: Path, bound: socket.socket) -> None:
        self.path = path
        self.socket = bound
        self._file = _identity(path)

    def remove(self) -> None:
        """Remove the file, unless another one has taken its place."""
        if _identity(self.path) == self._file:
            with contextlib.suppress(OSError):
                self.path.unlink()


def bound(store: Path) -> SocketFile:
    """Bind a socket for the crawl of a store whose lock we hold. Raises StoreError if none can be made anywhere."""
    why = "the path of its socket would be too long"
    for path in places(store):
        try:
            _make_room(path, is_own_folder=path.parent not in (real_path(store).parent, real_path(store)))
            return SocketFile(path, _bound(path))
        except OSError as error:
            why = f"{path}: {error.strerror or error}"
    raise StoreError(f"this crawl cannot be controlled from another shell ({why})")


@contextlib.asynccontextmanager
async def serving(file: SocketFile, serve: Serve, end: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Pass connections to `serve` during the block; then wait for `end`, and remove the file."""
    try:
        server = await asyncio.start_unix_server(serve, sock=file.socket, limit=LONGEST)
        try:
            yield
        finally:
            server.close()
            await end()
    finally:
        file.remove()
        file.socket.close()


def connected(store: Path, seconds: float) -> socket.socket | None:
    """A connection to the crawl that runs on a store, with a timeout in seconds; None if none listens."""
    for path in places(store):
        if not _is_trusted(path, store):
            continue
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(seconds)
        try:
            line.connect(os.fspath(path))
        except OSError:
            line.close()
            continue
        return line
    return None


def places(store: Path) -> Iterator[Path]:
    """Possible paths of a store's socket, the best first; the same through any links to the store."""
    real = real_path(store)
    name = blake2b(os.fsencode(real), digest_size=12).hexdigest() + _ENDING
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    folders = [Path(runtime, "minicrawl"), Path(f"/tmp/minicrawl-{os.geteuid()}")]
    first = real / f"{_OF_A_FOLDER}{_ENDING}" if real.is_dir() else beside(real, _ENDING)
    for path in (first, *(folder / name for folder in folders)):
        if len(os.fsencode(path)) <= _LONGEST_PATH:
            yield path


def _bound(path: Path) -> socket.socket:
    new = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        new.bind(os.fspath(path))
        path.chmod(0o600)
    except OSError:
        new.close()
        raise
    return new


def _make_room(path: Path, *, is_own_folder: bool) -> None:
    """Remove the socket of a crawl that was killed. Raises OSError for any other file."""
    if is_own_folder:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        folder = path.parent.lstat()
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.geteuid() or folder.st_mode & 0o077:
            raise PermissionError(f"{path.parent} must be a folder that only you can read")
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(f"{path} exists and is not a socket")
        path.unlink()


def _is_trusted(path: Path, store: Path) -> bool:
    """True if there is a socket of ours, or of the store's owner: not one put there by a stranger."""
    try:
        found = path.lstat()
        return stat.S_ISSOCK(found.st_mode) and found.st_uid in {os.geteuid(), store.stat().st_uid}
    except OSError:
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
