"""What a page may have done: the commands of a crawl, with seeds as people write them, and no files among these."""

from pathlib import Path
from typing import Any  # Any: JSON

from minicrawl.control.asking import Wait, ask
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import guesses
from minicrawl.errors import ConfigError, SeedError

_ALLOWED = frozenset({"pause", "resume", "stop", "set", "add", "ban", "unban", "again"})
_MOST_SEEDS = 1_000
_WAIT = Wait(begins=2.0, answers=30.0)


def done(store: Path, asked: Any) -> Message:
    """What comes of a command, once it is in the store. Raises MinicrawlError."""
    if not isinstance(asked, dict) or str(asked.get("do")) not in _ALLOWED:
        raise ConfigError(f"a page may have done {', '.join(sorted(_ALLOWED))}")
    if asked["do"] == "add":
        asked = {"do": "add", **seeds_of(asked.get("seeds"))}
    return ask(store, [asked], _WAIT)[0]


def seeds_of(texts: object) -> Message:
    """Seeds as people write them, as a crawl takes them: `urls`, and those of which the scheme is `guessed`.

    Raises SeedError. They are URLs or hosts, never files: a page is not to have files read.
    """
    if not isinstance(texts, list) or not texts or len(texts) > _MOST_SEEDS:
        raise SeedError(f"name 1 to {_MOST_SEEDS:,} seeds, one a line")
    urls, guessed = [], []
    for text in texts:
        meant = guesses(text.strip()) if isinstance(text, str) else []
        if not meant:
            raise SeedError(f"{str(text)[:80]!r} is no http or https URL; write it as https://host/path")
        urls.append(meant[0])
        if len(meant) > 1:
            guessed.append(meant[0])
    return {"urls": urls, "guessed": guessed}
