"""An application that is installed, filled and served here, with the truth on its pages from its own database."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_WORDS = (Path(__file__).parent / "words.txt").read_text().split()


@dataclass(frozen=True)
class Application:
    """What is served. front: URL of its front page. page_of: the page that a URL is for, None for a view or an action;
    a page that is no reader's aim, such as a list, is named with a star in front. wanted: the pages for a reader."""

    name: str
    front: str
    page_of: Callable[[str], str | None]
    wanted: frozenset[str]


def prose(rng: random.Random, words: int = 80) -> str:
    """Sentences that no other page has."""
    found = [rng.choice(_WORDS) for _ in range(words)]
    return " ".join(f"{word}." if rng.random() < 0.1 else word for word in found).capitalize() + "."


def names(rng: random.Random, number: int) -> list[str]:
    """Distinct titles of two words and a number."""
    return [f"{rng.choice(_WORDS).capitalize()} {rng.choice(_WORDS)} {place}" for place in range(1, number + 1)]


def file_of(name: str) -> str:
    """The text of a file beside this one."""
    return Path(__file__).with_name(name).read_text()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def run(*words: str | Path, cwd: Path | None = None, env: Mapping[str, str] = {}, given: str = "") -> str:
    """Run a command. Raises RuntimeError with the end of its output."""
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env={**os.environ, **env}, input=given, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


@contextlib.contextmanager
def served(*words: str | Path, waits_for: str | Path, cwd: Path, env: Mapping[str, str] = {}) -> Iterator[None]:
    """A server that runs in the block, once it answers at a URL or has made a socket. Its output goes to a file in
    `cwd`."""
    with (cwd / f"{Path(words[0]).name}.log").open("wb") as output:
        server = subprocess.Popen(
            [*map(str, words)], cwd=cwd, env={**os.environ, **env}, stdout=output, stderr=output, start_new_session=True
        )
        try:
            until = time.monotonic() + 60
            while not _is_there(waits_for):
                if time.monotonic() > until or server.poll() is not None:
                    raise RuntimeError(f"nobody answers at {waits_for}")
                time.sleep(0.2)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)


def _is_there(place: str | Path) -> bool:
    if isinstance(place, Path):
        return place.exists()
    try:
        urllib.request.urlopen(place, timeout=20).close()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
    return True
