"""The index of an archive: a sorted line per answer, searched by bisection (CDXJ, as pywb reads it).

    test,h)/page?a=1 20261121110203 {"url": "http://h.test/page?a=1", "mime": "text/html", "status": "200",
     "digest": "sha1:...", "length": "1234", "offset": "567", "filename": "minicrawl-....warc.gz"}     (all in one line)

The key (SURT) has the labels of the host in reverse order, so that a site is contiguous. It is the same for http and
https, with www and without, as in other archives.
"""

import heapq
import itertools
import json
import mmap
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from minicrawl.errors import SettingError, StoreError
from minicrawl.system import put_in_place

_SORTED_AT_ONCE = 64 * 1024 * 1024
"""Characters of the lines sorted in memory at once."""
_WWW = re.compile(r"^www\d*\.(?=.)")
_SLASHES = re.compile("//+")
_ORDINARY = re.compile(r'[!"$&-~]*')
_PORTS = {"http": 80, "https": 443}
REVISIT = "warc/revisit"
"""The media type of a revisit with no known type of its own."""


class Captured(NamedTuple):
    """An answer in an archive. stamp: its date, YYYYmmddHHMMSS. is_revisit: the body is in another record. within: the
    position of the record in its unpacked gzip member."""

    url: str
    stamp: str
    media_type: str
    status: int
    digest: str
    file: str
    start: int
    length: int
    is_revisit: bool
    within: int = 0

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400 and self.status != 304


def surt(url: str) -> str:
    """The key of a URL; a URN is its own."""
    if url.startswith("urn:"):
        return "".join(url.split())
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return "".join(url.lower().split())
    host = _WWW.sub("", host)
    name = ",".join(reversed(host.split(".")))  # of an IPv4 address, too, as other archives have it
    colon = f":{port}" if port is not None and port != _PORTS.get(parts.scheme) else ""
    path, query = _SLASHES.sub("/", _plain(parts.path)).rstrip("/"), "&".join(sorted(_plain(parts.query).split("&")))
    return f"{name}{colon}){path or '/'}{'?' if query else ''}{query}"


def twin(url: str) -> str:
    """The URL with the other of http and https; both have the same key."""
    return f"http{url[5:]}" if url.startswith("https:") else f"https{url[4:]}"


def stamp(at: float) -> str:
    """Unix seconds as 14 digits."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y%m%d%H%M%S")


def parse_stamp(text: str) -> str:
    """The 14 digits of a date: 2026, 2026-11, 2026-11-21, 2026-11-21T11:02:03Z, 20261121110203. Raises SettingError."""
    digits = re.sub(r"[-:TZ ]", "", text.partition(".")[0])
    earliest = "00000101000000"
    whole = digits + earliest[len(digits) :]
    try:
        if len(digits) < 4 or len(digits) > 14 or not digits.isdecimal():
            raise ValueError
        datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise SettingError(f"a date is 2026-11-21, 2026-11-21T11:02:03 or a part of it, in UTC, not {text!r}") from None
    return whole


def nearest(found: Sequence[Captured], when: str | None) -> Captured | None:
    """The answer nearest to a date of 14 digits, or the last; a 304 only if there is no other. found: oldest first."""
    found = [one for one in found if one.status != 304] or found
    if when is None:
        return found[-1] if found else None
    return min(found, key=lambda one: abs(seconds(one.stamp) - seconds(when)), default=None)


def seconds(digits: str) -> float:
    """Unix seconds of 14 digits; 0 if they are not a date."""
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def line(captured: Captured) -> str:
    """A line of the index, without its end."""
    facts = {
        "url": captured.url,
        "mime": captured.media_type or "unk",
        "status": str(captured.status),
        "digest": captured.digest,
        "length": str(captured.length),
        "offset": str(captured.start),
        "filename": captured.file,
    }
    if captured.within:
        facts["within"] = str(captured.within)
    if captured.is_revisit:
        facts |= {"mime": REVISIT, "revisit": captured.media_type or "unk"}
    return f"{surt(captured.url)} {captured.stamp} {json.dumps(facts)}"


def read(text: str) -> Captured | None:
    """Parse a line; None if it is not an answer, such as a comment."""
    try:
        _, when, rest = text.split(" ", 2)
        facts = json.loads(rest)
        kind, status = str(facts.get("mime", "unk")), str(facts.get("status", "-"))
        return Captured(
            str(facts["url"]),
            when,
            (str(facts.get("revisit", "unk")) if kind == REVISIT else kind).replace("unk", ""),
            int(status) if status.isdecimal() else 0,
            str(facts.get("digest", "")),
            str(facts["filename"]),
            int(facts["offset"]),
            int(facts.get("length", 0)),
            kind == REVISIT,
            int(facts.get("within", 0)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, IndexError):
        return None


def merge(index: Path, lines: Iterable[str], *, is_anew: bool = False) -> int:
    """Merge lines, in any order, into a sorted index, or make it from them alone. Returns its number of lines.

    The index is complete under its name at any time. Equal lines are kept once.
    """
    unfinished = index.with_name(f"{index.name}.new")
    count, runs = 0, list[Path]()
    try:
        index.parent.mkdir(parents=True, exist_ok=True)
        for run in _sorted_runs(index, lines):
            runs.append(run)
        unfinished.unlink(missing_ok=True)  # a link that somebody put there is not to be written through
        with put_in_place(unfinished, index), unfinished.open("x", encoding="utf-8", newline="\n") as out:
            parts = [_lines(run) for run in runs]
            if not is_anew and index.exists():
                parts.append(_lines(index))
            for text, _ in itertools.groupby(heapq.merge(*parts)):
                out.write(text + "\n")
                count += 1
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise StoreError(f"{index} cannot be written: {error.strerror}; check its disk and folder") from error
    finally:
        for run in runs:
            run.unlink(missing_ok=True)
    return count


def _sorted_runs(index: Path, lines: Iterable[str]) -> Iterator[Path]:
    """Write sorted files, each of as many lines as fit into memory."""
    given = iter(lines)
    for number in itertools.count():
        left = _SORTED_AT_ONCE
        some = []
        while left > 0 and (text := next(given, None)) is not None:
            some.append(text)
            left -= len(text)
        if not some:
            return
        run = index.with_name(f"{index.name}.{number}")
        run.unlink(missing_ok=True)
        with run.open("x", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{text}\n" for text in sorted(some))
        yield run


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for text in file:
            yield text.rstrip("\n")


class Index:
    """A sorted index with look-up of answers."""

    def __init__(self, path: Path) -> None:
        self._map: mmap.mmap | bytes = b""
        if path.exists() and path.stat().st_size:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def find(self, url: str) -> list[Captured]:
        """All answers of a URL, the oldest first. http and https are two URLs with the same key."""
        return [one for one in self.with_key(surt(url)) if one.url == url]

    def with_key(self, key: str) -> Iterator[Captured]:
        """All answers with a key, the oldest first."""
        begins = f"{key} "
        for text in self.lines(self._first(begins.encode())):
            if not text.startswith(begins):
                return
            if (found := read(text)) is not None:
                yield found

    def matching(self, begins: str, rest: str) -> Iterator[Captured]:
        """All answers whose key has a prefix, and whose rest matches a regular expression."""
        start, end = self._first(begins.encode()), self._first(begins.encode() + b"\xff")
        pattern = re.compile(rb"^%b(?:%b) [^\n]*$" % (re.escape(begins.encode()), rest.encode()), re.MULTILINE)
        for line in pattern.finditer(self._map, start, end):
            if (found := read(line[0].decode("utf-8", "replace"))) is not None:
                yield found

    def _first(self, key: bytes) -> int:
        """The position of the first line not before a key."""
        return bisect_left(range(len(self._map)), key, key=self._line_at)

    def _line_at(self, at: int) -> bytes:
        return self._map[self._map.rfind(b"\n", 0, at) + 1 : self._end(at)]

    def _end(self, at: int) -> int:
        end = self._map.find(b"\n", at)
        return len(self._map) if end < 0 else end

    def lines(self, at: int = 0) -> Iterator[str]:
        """All lines, unparsed. at: the position of the first."""
        while at < len(self._map):
            end = self._end(at)
            yield self._map[at:end].decode("utf-8", "replace")
            at = end + 1

    def __iter__(self) -> Iterator[Captured]:
        return filter(None, map(read, self.lines()))

    def close(self) -> None:
        if isinstance(self._map, mmap.mmap):
            self._map.close()


def _plain(text: str) -> str:
    """Lower-case a part of a URL, and remove needless escapes, also of escapes."""
    if _ORDINARY.fullmatch(text):
        return text.lower()
    plain = text.encode()
    while b"%" in plain and (undone := unquote_to_bytes(plain)) != plain:
        plain = undone
    needed = b"#%"
    return "".join(chr(byte) if 0x20 < byte < 0x7F and byte not in needed else f"%{byte:02x}" for byte in plain).lower()
