"""What is compared of an answer: its lines, and facts beside them, each as people see it and as it is compared.

line      a block of the page's text, a row of a table, an item, or a value of JSON
field     title, description, canonical, robots, author, a value of structured data; a link with its words; a picture
key       what is compared of it: two lines with one key are the same line
shape     its key with every number as 0

A key leaves out times relative to now, long tokens, sessions and cache-busters in addresses, and the number of a short
line that counts visitors, votes and the like. `dated_key` also leaves out the date and time of the answer itself.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import MsgspecError, Struct, structs
from msgspec import json as msgspec_json

from minicrawl.errors import StoreError
from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.compare.documents import json_lines
from minicrawl.web.kept_text import blocks_of, read, unpack, without_relative_dates

OF_SELECTOR = "selected"
"""The field of an item that has what a selector matched."""
JSON = "json:"
_LONGEST_LINE = 2_000
_MOST_ENTRIES = 20_000


class Entry(NamedTuple):
    """A line or field. kind: "text", "price", "availability", "title", "link" ...; is_beside: it stands beside the
    content, as in a menu."""

    kind: str
    text: str
    key: str
    is_beside: bool = False


NO_MATCH = Entry("selector", "the selector matches nothing", "none")
"""In place of what a selector matches."""


class View(Struct, frozen=True, omit_defaults=True):
    """An answer. status: None for none, then `reason` says why. address: the last URL of its redirects. size: bytes;
    digest: of them, where nothing of it can be read. is_cut: it is shorter than it should be. alike: of hashes, keys
    without the day and time of the answer, by key."""

    at: float
    address: str
    status: int | None = None
    reason: str = ""
    title: str = ""
    size: int = 0
    digest: int | None = None
    is_cut: bool = False
    etag: str | None = None
    last_modified: str | None = None
    entries: tuple[Entry, ...] = ()
    alike: dict[str, str] | None = None

    def dated(self, key: str) -> str:
        """A key without the day and time of the answer."""
        return dated_key(key, self.at) if self.alike is None else self.alike.get(key, key)

    def packed(self) -> bytes:
        """The view as bytes; a key that is the text of its line is left out."""
        entries = tuple(each._replace(key="") if each.key == each.text else each for each in self.entries)
        return zlib.compress(msgspec_json.encode(structs.replace(self, entries=entries)), 6)

    def says_what(self, other: "View") -> bool:
        """True if another answer says the same, line by line."""
        are_alike = all(
            getattr(self, name) == getattr(other, name) for name in ("status", "address", "reason", "digest")
        )
        return are_alike and {entry.key for entry in self.entries} == {entry.key for entry in other.entries}

    @staticmethod
    def unpacked(packed: bytes, url: str) -> "View":
        """The view of a watched page. Raises StoreError for damaged bytes."""
        try:
            view = msgspec_json.decode(zlib.decompress(packed), type=View)
        except (zlib.error, MsgspecError) as error:
            raise damaged(url, error) from error
        entries = tuple(each if each.key else each._replace(key=each.text) for each in view.entries)
        return structs.replace(view, entries=entries)


def damaged(url: str, error: Exception) -> StoreError:
    return StoreError(
        f"what is kept of {url} is damaged ({error}); leave it out of the list for one check; in the next it is new"
    )


def view_of(fetched: Fetched, parsed: ParsedPage, address: str, at: float, selector: str = "") -> View:
    """The view of an answer. address: see `View`; at: Unix seconds of the answer. selector: only what it matches
    counts; of JSON, "json:" and the path of values."""
    entries = list(_selected(parsed, selector) if selector else _entries(fetched, parsed))
    if selector and not entries:
        entries = [NO_MATCH]
    elif not entries and fetched.digest is not None:
        entries = [Entry("bytes", f"{fetched.size:,} bytes", str(fetched.digest))]
    distinct = {(entry.kind, entry.key): entry for entry in entries if entry.key}
    return View(
        at=at,
        address=address,
        status=fetched.status,
        reason=fetched.reason or "",
        title=parsed.title or "",
        size=fetched.size,
        digest=None if parsed.kept or parsed.text else fetched.digest,
        is_cut=fetched.truncated,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        entries=tuple(list(distinct.values())[:_MOST_ENTRIES]),
    )


def _selected(parsed: ParsedPage, selector: str) -> Iterator[Entry]:
    for line in parsed.text:
        path, _, value = line.partition(": ")
        if selector.removeprefix(JSON) == path:
            yield from _line(value)
    for item in parsed.items:
        for text in json.loads(item).get(OF_SELECTOR) or ():
            yield from _line(" ".join(str(text).split()))


def _entries(fetched: Fetched, parsed: ParsedPage) -> Iterator[Entry]:
    if parsed.kept:
        text = unpack(parsed.kept, fetched.url)
        yield _entry("title", parsed.title or "")
        yield _entry("description", text.description or "")
        for markdown, is_beside in ((text.content, False), (text.rest, True)):
            yield from _lines(markdown, is_beside=is_beside)
        shown = f"{text.content}{text.rest}"
        for url in parsed.pictures:
            if url and f"]({url}" not in shown and f"](<{url}" not in shown:  # those have words
                yield Entry("image", url, urlsplit(url).path)
    for line in parsed.text:
        yield from [_entry("price", line)] if _PRICE_NAME.search(line) else _line(line)
    robots = [name for name, says in (("noindex", parsed.index), ("nofollow", parsed.follow)) if not says]
    if said := ", ".join(filter(None, (*robots, fetched.robots_tag))):
        yield Entry("robots", said, said)
    for canonical in parsed.canonicals[:1]:
        yield Entry("canonical", canonical, address_key(canonical))
    for item in parsed.items:
        yield from map(_value, json_lines(json.loads(item), "", of_list=""))


def _lines(markdown: str, *, is_beside: bool) -> Iterator[Entry]:
    """The lines of Markdown, its links and its pictures."""
    lines = markdown.split("\n")
    for block in blocks_of(markdown):
        if block.is_code:
            for line in block.texts[0].split("\n"):
                yield _entry("text", line.strip())._replace(is_beside=is_beside)
            continue
        words, links = (" | ".join(block.texts), []) if block.is_row else read(block.markdown)
        line = " ".join(words.split())
        # What is for sale is content wherever it stands, and so is a list of other things than links.
        is_list = not links and lines[block.start].lstrip(" >")[:2] == "- "
        for entry in _line(line):
            yield entry._replace(is_beside=is_beside and entry.kind == "text" and not is_list)
        for link in links:
            label = " ".join(words[link.start : link.end].split())
            key = f"{_key(label)} {address_key(link.url)}"
            is_among_words = any(map(str.isalpha, words[: link.start] + words[link.end :]))
            yield Entry("link", f"{label} {link.url}".strip(), key, is_beside and not is_among_words)
        for alt, source in _PICTURE.findall(block.markdown):
            yield Entry("image", f"{alt} {source}".strip(), f"{alt} {urlsplit(source).path}", is_beside)


def _value(line: str) -> Entry:
    """A value of structured data: "jsonld.offers.price: 3"."""
    path = line.partition(": ")[0].lower()
    kind = next((kind for kind in ("price", "availability", "author") if kind in path), "data")
    return _entry("data" if path.rpartition(".")[2] in _TYPES else kind, line)


def texts_of(lines: Iterable[Entry]) -> tuple[str, ...]:
    """The texts of lines, as they are told: each once, without links that are a line among them."""
    lines = tuple(lines)
    texts = {entry.text for entry in lines if entry.kind == "text"}
    told = (entry.text for entry in lines if entry.kind != "link" or entry.text.rpartition(" ")[0] not in texts)
    return tuple(dict.fromkeys(told))


# Keys.

_TYPES = frozenset({"type", "og:type", "product:type", "og:product:type"})
"""Names of values that say what a thing is."""
_PICTURE = re.compile(r"!\[((?:[^\[\]\\]|\\.)*)\]\((<[^>]*>|[^)]*)\)")
_TOKEN = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w-])|\b\d{16,}\b")
_NUMBER = re.compile(r"\d+(?:[.,:\u00a0 ]\d+)*")
_COUNTER = re.compile(
    r"\b(?:views?|visit(?:or|e|a)?s?|viewers?|hits|seen|votes?|likes?|shares?|downloads?|clicks|online|watching|looking"
    r"|aufrufe|besuche(?:r)?|gelesen|stimmen|vues?|visites?|visitas?|lecturas?|visualizzazioni|visite|odsłon\w*"
    r"|bezoekers|weergaven|visningar|просмотр\w*|посетител\w*|голос\w*)\b|浏览|阅读|次观看|閲覧|조회",
    re.IGNORECASE,
)
_COUNTER_LINE = 60
_CURRENCY = r"[$€£¥₹₽₩₺₴₫฿]|\b(?:EUR|USD|GBP|CHF|PLN|zł|kr|SEK|NOK|DKK|CZK|Kč|HUF|Ft|RON|lei|JPY|CNY|RUB|INR|BRL|R\$)\b"
_PRICE = re.compile(rf"(?:{_CURRENCY})\s*\d|\d\s*(?:{_CURRENCY})", re.IGNORECASE)
_LETTERS_OF_PRICE = 14
_PRICE_NAME = re.compile(r"^[\w.\[\]-]*price[\w.\[\]-]*: \d", re.IGNORECASE)
"""A value of JSON that is a price."""
_AVAILABILITY = re.compile(
    r"\b(?:in stock|out of stock|sold out|(?:un)?available|back ?order|pre-?order|ausverkauft|vorrätig|lieferbar"
    r"|verfügbar|épuisé|en stock|disponible|indisponible|agotado|esaurit[oa]|disponibil[ei]|esgotado|uitverkocht"
    r"|op voorraad|wyprzedan\w+|dostępn\w+|slutsåld|i lager|udsolgt|på lager|vyprodáno|skladem|нет в наличии"
    r"|в наличии)\b|売り切れ|在庫|缺货|有货|售罄|품절",
    re.IGNORECASE,
)
_AVAILABILITY_LINE = 40
_SESSION = re.compile(r";[^/?#]*")
_SLACK = 900.0
"""Seconds by which the clock of a server may be wrong."""
_ZONES = (-12, -6, -1, 0, 1, 6, 14)
"""Hours by which the day of a server may be another."""
_WEEKDAYS = "mon|tue|wed|thu|fri|sat|sun"


def _line(line: str) -> Iterator[Entry]:
    """A line; of one that says what a thing costs, or whether there are any, that."""
    offers = _AVAILABILITY.search(line) if len(line) <= _AVAILABILITY_LINE else None
    amount = _PRICE.search(line)
    if amount:
        others = sum(map(str.isalpha, line)) - sum(len(each[0]) for each in (amount, offers) if each)
        amount = amount if others <= _LETTERS_OF_PRICE else None
    if amount:
        rest = f"{line[: offers.start()]}{line[offers.end() :]}" if offers else line
        yield Entry("price", line, rest)
    if offers:
        yield Entry("availability", line, offers[0])
    if not (amount or offers):
        yield _entry("text", line)


def _entry(kind: str, text: str) -> Entry:
    text = text[:_LONGEST_LINE]
    return Entry(kind, text, _key(text) if kind in ("text", "data") else _TOKEN.sub("•", text))


def _key(text: str) -> str:
    key = _TOKEN.sub("•", without_relative_dates(text))
    return shape(key) if len(key) <= _COUNTER_LINE and _COUNTER.search(key) else key


def shape(key: str) -> str:
    """A key with every number as 0."""
    return _NUMBER.sub("0", key)


@lru_cache(4_096)
def address_key(url: str) -> str:
    """An address without sessions and cache-busters: parameters whose value is a long token, or a version."""
    parts = urlsplit(url)
    query = "&".join(one for one in parts.query.split("&") if one and not _is_made_up(one))
    return f"{parts.netloc}{_SESSION.sub('', parts.path)}{'?' * bool(query)}{query}"


def _is_made_up(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return bool(_TOKEN.fullmatch(value)) or name.lower() in ("v", "ver", "_", "t", "ts", "cb")


def dated_key(key: str, at: float) -> str:
    """A key without the day and the time of the answer that it is of. at: Unix seconds."""
    day, time = _spellings(int(at // _SLACK))
    return time.sub("now", day.sub("today", key))


@lru_cache(64)
def _spellings(quarter: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How people write the day of an answer, perhaps with a weekday, and its time. quarter: of an hour, since 1970."""
    at = datetime.fromtimestamp(quarter * _SLACK, UTC)
    days = {(at + timedelta(hours=hours)).date() for hours in _ZONES}
    written = "|".join(re.escape(form) for day in days for form in _written(day))
    clock = "|".join({f"{(at + timedelta(minutes=minute)).minute:02}" for minute in range(-15, 31)})
    return (
        re.compile(rf"(?:\b(?:{_WEEKDAYS})[a-z]*,? )?(?<!\d)(?:{written})(?!\d)", re.IGNORECASE),
        re.compile(rf"(?<![\d:])\d\d?:(?:{clock})(?::\d\d(?:\.\d+)?)?(?![\d:])"),
    )


def _written(day: date) -> Iterator[str]:
    """A day in the ways that dates are written."""
    yield from (day.strftime(form) for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"))
    yield f"{day.day}.{day.month}.{day.year}"
    for month in (day.strftime("%B"), day.strftime("%b")):
        for number in dict.fromkeys((str(day.day), f"{day.day:02}")):
            yield from (f"{number}{point} {month} {day.year}" for point in ("", "."))
            yield f"{month} {number}, {day.year}"
