"""The client side: commands go to the running crawl over its socket, else to its store where that is possible."""

import asyncio
import re
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO  # Any: JSON

from minicrawl.control.messages import FOR_RUNNING, Message, answer_of, connected, line_of, message_of
from minicrawl.errors import ConfigError, CrawlEndedError, StoreError
from minicrawl.settings import SETTINGS
from minicrawl.store.database import is_held

_LONGEST_ANSWER = 64 * 2**20
_LOOKS_APART = 0.05


def ask(store: Path, messages: Iterable[Message], *, begins: float = 5.0, answers: float = 60.0) -> list[Message]:
    """Send commands one after the other and return their answers; "running": a crawl did it, else it was done in the
    store.

    begins, answers: seconds to wait until a crawl that was just started begins to listen; until it answers.
    Raises MinicrawlError at the first command that fails; those before it are done.
    """
    line = _line(store, begins, answers)
    if line is not None:
        with closing(line), line.makefile("rb") as said:
            return [{"running": True, **_asked(line, said, message, store)} for message in messages]
    return [{"running": False, **_done_at_rest(store, message)} for message in messages]


def _line(store: Path, begins: float, answers: float) -> socket.socket | None:
    """A connection to the crawl that runs on a store; None if none runs. Raises StoreError if it does not listen."""
    until = time.monotonic() + begins
    while (line := connected(store, answers)) is None:
        if not is_held(store):
            return None
        if time.monotonic() > until:
            raise StoreError(
                f"another program is using {store} and takes no commands: a crawl started from Python, a crawl that is "
                "still loading or about to end, or a command that writes"
            )
        time.sleep(_LOOKS_APART)
    return line


def _asked(line: socket.socket, answers: BinaryIO, message: Message, store: Path) -> Message:
    whether = "check in the store whether the command took effect"
    try:
        line.sendall(line_of(message))
        answer = answers.readline(_LONGEST_ANSWER)
    except TimeoutError as error:
        raise CrawlEndedError(
            f"the crawl on {store} has not answered for {line.gettimeout():g} s; it may be busy, for example settling "
            "the ranking at its end, and carry out the command later"
        ) from error
    except OSError as error:
        raise CrawlEndedError(f"the crawl on {store} has ended ({error.strerror}); {whether}") from error
    if not answer.endswith(b"\n"):
        raise CrawlEndedError(f"the crawl on {store} has ended without an answer; {whether}")
    return answer_of(message_of(answer))


def _done_at_rest(store: Path, message: Message) -> Message:
    if store.is_dir():
        raise CrawlEndedError(
            f"no crawl runs on the partitions in {store}; 'minicrawl crawl --store {store}' continues it, "
            "and takes more seeds and other options"
        )
    if message["do"] in FOR_RUNNING:
        raise CrawlEndedError(f"no crawl runs on {store}; 'minicrawl crawl --store {store}' starts it")
    # Imported here, as asking a running crawl does not need it.
    from minicrawl.control.commands import RestingCrawl, done  # noqa: PLC0415

    return asyncio.run(done(RestingCrawl(store), message))


_FLAGS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}


def assigned(texts: Iterable[str]) -> Mapping[str, Any]:
    """Settings by name, as JSON values, from texts such as delay=2. Raises ConfigError.

    Settings with several values may be repeated. "none" or nothing unsets a setting that may be unset. Names are
    spelt as options, with dashes, or as in Python. Values are parsed by the settings.
    """
    given: dict[str, Any] = {}
    for text in texts:
        spelling, equals, value = text.partition("=")
        name = spelling.strip().removeprefix("--").replace("-", "_")
        if not equals or not name:
            word = re.match(r"[\w-]*", text)  # the rest may be secret
            raise ConfigError(f"write a setting as NAME=VALUE, such as delay=2, not only {word and word[0]!r}")
        default = SETTINGS[name].default if name in SETTINGS else ""
        if default == ():
            given.setdefault(name, [])
            given[name] += [value] if value else []
        elif isinstance(default, bool):
            if value.lower() not in _FLAGS:
                raise ConfigError(f"{spelling} must be yes or no, not {value!r}")
            given[name] = _FLAGS[value.lower()]
        else:
            given[name] = None if default is None and value.lower() in ("", "none") else value
    return given
