"""Where an answer stands in the archive: what crosses from who writes it to who commits it."""

from enum import StrEnum
from typing import NamedTuple


class RecordKind(StrEnum):
    """What the archive has of an answer."""

    RESPONSE = "response"
    """All of it."""
    REVISIT = "revisit"
    """Its head; the body is that of an earlier record."""
    NOT_MODIFIED = "not-modified"
    """Its head, a 304; the page is as in an earlier record."""


class ArchiveRecord(NamedTuple):
    """An answer that is in the archive.

    `at`: its date, in Unix seconds. `file`: the name of the file; `start`, `length`: where the answer stands there, in
    bytes; `end`: where its request ends, behind it. `digest`: SHA-1 of the body, as sent but without transfer coding.
    """

    url: str
    at: float
    file: str
    start: int
    length: int
    end: int
    digest: bytes
    kind: str
    status: int
    media_type: str
