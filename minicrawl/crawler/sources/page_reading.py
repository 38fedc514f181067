"""All that is read in the bytes of a page: what it says, what selectors take out of it, and what it can be told by."""

from dataclasses import fields
from operator import attrgetter
from typing import Any  # Any: messages

from minicrawl.crawler.html.fingerprint import Identity, identity_of
from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import ParsedPage, Wanted

parsed_fields = attrgetter(*(field.name for field in fields(ParsedPage)))
"""A parsed page as it crosses to another process: a plain tuple, as dataclasses take pickle three times as long."""


def read_page(body: bytes, url: str, content_type: str | None, wanted: Wanted) -> tuple[ParsedPage, Identity]:
    """What a page says, and what it can be told by."""
    parsed = parse_html(body, url, content_type, wanted)
    if wanted.items:
        from minicrawl.crawler.sources.gathered import with_gathered  # noqa: PLC0415 - few crawls take anything out

        parsed = with_gathered(parsed, body, url, content_type, wanted)
    return parsed, identity_of(body, url, wants_words=wanted.words)


def read_apart(body: bytes, url: str, content_type: str | None, wanted: Wanted) -> tuple[tuple[Any, ...], ...]:
    """As `read_page`, of what comes back from another process."""
    parsed, identity = read_page(body, url, content_type, wanted)
    return parsed_fields(parsed), tuple(identity)
