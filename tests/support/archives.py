"""Archives as tests have them: what warcio makes of files, answers to be kept, crawls that keep them."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator

from minicrawl.analysis.archives import opened
from minicrawl.archive.check import check
from minicrawl.archive.writer import Originals
from minicrawl.model import Exchange

NOTHING_BEFORE: Originals = (lambda digest: None, lambda url: None)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
REQUEST = b"GET /a HTTP/1.1\r\nHost: h.test\r\nUser-Agent: x\r\n\r\n"


class Seen(NamedTuple):
    """A record as warcio reads it."""

    kind: str
    url: str | None
    headers: dict[str, str]
    status: str
    http: list[tuple[str, str]]
    body: bytes


def seen(path: Path) -> list[Seen]:
    """All records of a file, whose digests warcio finds to be right."""
    return list(_seen(path))


def _seen(path: Path) -> Iterator[Seen]:
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            http = record.http_headers
            body = record.raw_stream.read()
            yield Seen(
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                dict(record.rec_headers.headers),
                http.statusline if http else "",
                http.headers if http else [],
                body,
            )


def files(folder: Path) -> list[Path]:
    """The WARC files of an archive."""
    return sorted((folder / "archive").glob("*.warc.gz"))


def answers(folder: Path) -> list[Seen]:
    """What an archive has of answers."""
    return [one for file in files(folder) for one in seen(file) if one.kind in ("response", "revisit")]


def complaints(store: Path) -> list[str]:
    """What a check of every record finds wrong with the archive of a store, or has to note."""
    with opened(store, None) as archive:
        found = check(archive.collection, archive.committed, deep=True)
    return found.wrong + found.notes


def an_answer(url: str = "http://h.test/a", body: bytes = b"<p>hello", **facts: Any) -> Exchange:
    """An answer to be kept."""
    plain = Exchange(url, REQUEST, HEAD % len(body), 200, (), body, "127.0.0.1:80", 1000.5, 0.1, None)
    return plain._replace(**facts)


def a_record(kind: str, fields: dict[str, str], block: bytes, at: str = "2026-01-01T00:00:00Z") -> bytes:
    """A WARC record as it is in a plain file, of no program in particular."""
    ids = {"WARC-Type": kind, "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>", "WARC-Date": at}
    lines = [f"{name}: {value}" for name, value in (ids | fields | {"Content-Length": str(len(block))}).items()]
    return "\r\n".join(["WARC/1.0", *lines, "", ""]).encode() + block + b"\r\n\r\n"


def an_http_record(
    block: bytes,
    url: str = "http://h.test/",
    kind: str = "response",
    at: str = "2026-01-01T00:00:00Z",
    fields: dict[str, str] | None = None,
) -> bytes:
    """A record of an HTTP message."""
    of_http = {"WARC-Target-URI": url, "Content-Type": f"application/http; msgtype={kind}"}
    return a_record(kind, of_http | (fields or {}), block, at)
