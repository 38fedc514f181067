"""The wire format between a crawl and its clients: a JSON object a line, both ways.

{"do": "ban", "host": "example.org"}                   a command
{"done": {"host": "example.org", ...}}                 its answer, once a commit holds the change
{"failed": "x.test is no host that ...", "exit": 2}    the error, as one sentence; nothing has changed
"""

import json
from collections.abc import Mapping
from typing import Any  # Any: JSON

from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SeedError, StoreError

LONGEST = 256 * 1024
"""Bytes of a line, at most."""

Message = Mapping[str, Any]
_ROOM_FOR_SEEDS = LONGEST - 100
FOR_RUNNING = frozenset({"pause", "resume", "stop", "status", "workers", "look"})
"""Commands for running crawls only; all others can also be done in the store."""
_KINDS: Mapping[object, type[MinicrawlError]] = {kind.exit_code: kind for kind in (ConfigError, StoreError)}


def line_of(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message).encode("ascii") + b"\n"


def message_of(line: bytes) -> Message:
    """Parse a line. Raises ConfigError if it is no message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"a message is a JSON object on a line of its own, not {line[:40]!r}") from error
    if not isinstance(message, dict):
        raise ConfigError(f"a message is a JSON object on a line of its own, not {line[:40]!r}")
    return message


def done(answer: Message) -> Message:
    """The message of success."""
    return {"done": answer}


def failed(error: MinicrawlError) -> Message:
    """The message of a failure."""
    return {"failed": str(error), "exit": error.exit_code}


def answer_of(message: Message) -> Message:
    """The answer in a message. Raises the MinicrawlError of a failure."""
    sentence, answer = message.get("failed"), message.get("done")
    if isinstance(sentence, str):
        raise _KINDS.get(message.get("exit"), CrawlEndedError)(sentence)
    if not isinstance(answer, dict):
        raise StoreError(
            "what listens beside the store does not answer as a crawl does: end it, or start the crawl again"
        )
    return answer


def parts(urls: list[str], guessed: frozenset[str]) -> list[Message]:
    """Seeds as `add` commands, none of which is too long."""
    messages: list[Message] = []
    some: list[str] = []
    size = 0
    for url in urls:
        cost = 2 * (len(json.dumps(url)) + 2)  # twice, as it may stand among the guessed ones, too
        if cost > _ROOM_FOR_SEEDS:
            raise SeedError(f"a URL of {len(url):,} characters is too long to be added: {url[:60]}...")
        if some and size + cost > _ROOM_FOR_SEEDS:
            messages.append(_seeds(some, guessed))
            some, size = [], 0
        some.append(url)
        size += cost
    return [*messages, _seeds(some, guessed)]


def _seeds(urls: list[str], guessed: frozenset[str]) -> Message:
    return {"do": "add", "urls": urls, "guessed": [url for url in urls if url in guessed]}
