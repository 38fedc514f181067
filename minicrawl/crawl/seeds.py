"""Where a crawl starts: seed files, URLs, or standard input."""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from minicrawl.crawl.urls import normalise
from minicrawl.errors import SeedError


def read_seeds(sources: Iterable[str]) -> list[str]:
    """Normalised seed URLs, each once, in the order given.

    sources: seed files (one URL a line, '#' comments), URLs, or "-" for standard input. Raises SeedError
    that names file and line.
    """
    seeds: dict[str, None] = {}
    for source in sources:
        for where, text in _lines(source):
            url = normalise(text)
            if url is None:
                raise SeedError(f"{where}: {text!r} is no http or https URL; write it as https://host/path")
            seeds[url] = None
    return list(seeds)


def _lines(source: str) -> Iterator[tuple[str, str]]:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", source):
        yield "seed", source
        return
    name = "standard input" if source == "-" else source
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SeedError(f"seed file {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SeedError(f"seed file {name} is not UTF-8 text: byte {error.start}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        # A '#' inside a URL starts its fragment; only one at the start or behind white space is a comment.
        content = re.sub(r"(^|\s)#.*", "", line).strip()
        if content:
            yield f"{name}:{number}", content
