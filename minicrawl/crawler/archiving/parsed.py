"""Answers as they were parsed, kept beside their records: a crawl that reads the archive need not parse them again.

They hold for the same body, code, libraries and settings that parsing depends on; any other is read from its record.
Pages that were cut, rendered or shown to hooks are not kept so. A file of a stranger is believed as his records are,
but its types and the form of its links are checked.
"""

import hashlib
import importlib.metadata
import json
import re
import sys
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints  # Any: JSON

import minicrawl
from minicrawl.archive.cdxj import Captured
from minicrawl.archive.collection import Collection
from minicrawl.archive.record import sha1
from minicrawl.archive.sidecar import Sidecar, SidecarWriter
from minicrawl.crawler.html.fingerprint import BITS
from minicrawl.crawler.http.content_type import HTML_TYPES, media_type
from minicrawl.model import AlternateLink, Fetched, PageRequest, ParsedPage, Place, Wanted
from minicrawl.settings import CrawlSettings

_FOLDERS = ("formats", "html", "http", "sources", "urls")
SOURCES = (*(f"crawler/{name}" for name in _FOLDERS), "store/texts", "model.py")
"""Folders and files of the code that parsing depends on."""
_LIBRARIES = ("ada-url", "brotli", "charset-normalizer", "lxml", "numpy", "selectolax", "zlib-ng")
_ANSWER = ("status", "content_type", "location", "robots_tag", "on_use", "link", "etag", "last_modified")
_PRINTS = ("digest", "payload", "sketch", "wording", "short_text")
OPTIONAL = {
    "about": ("description", "language", "h1"),
    "anchors": ("anchors",),
    "blocks": ("blocks",),
    "kept": ("kept",),
    "places": ("places",),
    "short_text": ("short_text",),
    "text": ("headings", "text"),
}
"""Names of `Wanted`, and the fields that are left empty without it."""
_EMPTY = Fetched("")._asdict() | ParsedPage()._asdict()
_ANSWERS = [(name, at) for at, name in enumerate(Fetched._fields) if name in _ANSWER + _PRINTS]
_NOT_KEPT = ("items", "hook_failures", "refused", "requisites", "facts")
_PAGES = [(name, at, _EMPTY[name]) for at, name in enumerate(ParsedPage._fields) if name not in _NOT_KEPT]
_IN_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_TYPES = {
    name: tuple(hint for hint in (get_args(hint) or (hint,)) if hint in (str, int, bytes, bool, NoneType))
    for name, hint in (get_type_hints(Fetched) | get_type_hints(ParsedPage)).items()
    if not isinstance(_EMPTY.get(name), tuple)
}
_INTEGER = 64  # bits, in the store
_SKETCH = bytes(BITS // 8)
_URLS = re.compile(r"(?:https?://[a-z0-9_.:\[\]-]++/[!-~]*+\n)*+")


@cache
def _code() -> bytes:
    """A digest of the code and its libraries."""
    root = Path(minicrawl.__file__).parent
    found = [file for name in SOURCES for file in sorted([root / name, *(root / name).glob("*")])]
    versions = [str(sys.version_info[:2]), *map(importlib.metadata.version, _LIBRARIES)]
    sources = [file.read_bytes() for file in found if file.is_file()]
    return hashlib.sha256(b"\0".join([*sources, *map(str.encode, versions)])).digest()


def version(settings: CrawlSettings) -> str:
    """A digest of everything but the page that the result of parsing depends on."""
    parts = [_code(), settings.max_size, settings.keep_parameters]
    if settings.pdf:
        parts.append(importlib.metadata.version("pypdf"))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


class ParsedWriter:
    """Keeps answers as they were parsed, in the process that fetches. folder: of the archive."""

    def __init__(self, settings: CrawlSettings, folder: Path) -> None:
        self._is_on = not (settings.render or settings.hook)
        self._file = SidecarWriter(folder, version(settings))
        self.close = self._file.close

    def note(self, fetched: Fetched, parsed: ParsedPage, wanted: Wanted) -> None:
        """Keep an answer whose record is written. A type that was guessed depends on the pieces that came."""
        record = fetched.record
        is_whole = fetched.reason is None and not fetched.truncated and fetched.status != 304
        if self._is_on and record is not None and is_whole and (record.media_type or fetched.status != 200):
            self._file.add(record.file, record.start, _packed(sha1(record.digest), fetched, parsed, wanted))


def _packed(digest: str, fetched: Fetched, parsed: ParsedPage, wanted: Wanted) -> bytes:
    flags = [name for name in OPTIONAL if getattr(wanted, name)]
    fields: dict[str, Any] = {name: fetched[at] for name, at in _ANSWERS if fetched[at] is not None}
    fields |= {name: parsed[at] for name, at, empty in _PAGES if parsed[at] is not empty and parsed[at] != empty}
    if fetched.status == 200 and (fetched.digest is not None or media_type(fetched.content_type) in HTML_TYPES):
        fields["size"] = fetched.size  # of others no more was read than the archive wanted
    if not any(parsed.anchors):
        fields.pop("anchors", None)
    for name, value in fields.items():
        if isinstance(value, bytes):
            fields[name] = {"": value.decode("latin-1")}
    return _IN_JSON.encode([digest, flags, fields]).encode("utf-8", "replace")


def _out_of_json(value: dict[str, Any]) -> Any:
    return value[""].encode("latin-1") if "" in value else value


class ParsedAnswers:
    """Finds answers that were kept as they were parsed."""

    def __init__(self, settings: CrawlSettings) -> None:
        self._version = version(settings)
        self._files: dict[tuple[Path, str], Sidecar] = {}

    def of(
        self, archive: Collection, captured: Captured, asked: PageRequest, wanted: Wanted
    ) -> tuple[Fetched, ParsedPage] | None:
        """An answer of an archive for a request; None if it must be parsed. Raises StoreError."""
        if wanted.facts:
            return None
        file = archive.folder, captured.file
        if (sidecar := self._files.get(file)) is None:
            sidecar = self._files[file] = Sidecar(archive.file(captured.file), self._version)
        data = sidecar.of(captured.start) if captured.url == asked.url else None
        if data is None:
            return None
        try:
            if b"\\ud" in data.lower():
                return None  # half a character
            digest, flags, fields = json.loads(data.decode(), object_hook=_out_of_json)
            if digest != captured.digest or fields["status"] != captured.status:
                return None
            return _unpacked(flags, fields, asked, wanted)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def close(self) -> None:
        for sidecar in self._files.values():
            sidecar.close()


def _unpacked(
    flags: list[str], fields: dict[str, Any], asked: PageRequest, wanted: Wanted
) -> tuple[Fetched, ParsedPage] | None:
    """The answer and the page of these fields; None if more is wanted than they have. Raises ValueError, TypeError."""
    for flag, names in OPTIONAL.items():
        if not getattr(wanted, flag):
            for name in names:
                fields.pop(name, None)
        elif flag not in flags:
            return None
    for name, value in fields.items():
        if name in _TYPES:
            if not isinstance(value, _TYPES[name]) or (isinstance(value, int) and value.bit_length() >= _INTEGER):
                raise TypeError(name)
        elif name == "hreflang":
            fields[name] = tuple(AlternateLink(language, url) for language, url in value)
        else:
            "\n".join(value)  # a TypeError unless all are texts
            fields[name] = tuple(value)
    links = fields.get("outlinks", ())
    fields.setdefault("anchors", ("",) * len(links))
    refresh = fields.get("refresh")
    urls = (*links, *fields.get("canonicals", ()), *fields.get("alternates", ()), *([refresh] if refresh else ()))
    if urls and not _URLS.fullmatch("\n".join(urls) + "\n"):
        raise ValueError("no normalised URLs")
    if not len(links) == len(set(links)) == len(fields["anchors"]) == len(fields.get("places", links)):
        raise ValueError("as many places as links")
    if max(fields.get("places", b""), default=0) > max(Place) or len(fields.get("sketch") or _SKETCH) != len(_SKETCH):
        raise ValueError("no places, or no sketch")
    answer = {name: fields.pop(name) for name in (*_ANSWER, *_PRINTS, "size") if name in fields}
    return Fetched(asked.url, is_conditional=asked.is_conditional, **answer), ParsedPage(**fields)
