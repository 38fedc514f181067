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
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import MsgspecError, Struct, structs
from msgspec import json as msgspec_json

from minicrawl.errors import StoreError
from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.compare.documents import json_lines
from minicrawl.web.http.response_fields import media_type
from minicrawl.web.kept_text import SPAN, Block, blocks_of, read, unpack, without_relative_dates

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
    digest: of them, where nothing of it can be read. is_cut: it is shorter than it should be. is_feed: it is XML, whose
    lines are entries. alike: of hashes, keys without the day and time of the answer, by key."""

    at: float
    address: str
    status: int | None = None
    reason: str = ""
    title: str = ""
    size: int = 0
    digest: int | None = None
    is_cut: bool = False
    is_feed: bool = False
    etag: str | None = None
    last_modified: str | None = None
    entries: tuple[Entry, ...] = ()
    alike: dict[str, str] | None = None

    def dated(self, key: str) -> str:
        """A key without the day and time of the answer."""
        return dated_key(key, self.at) if self.alike is None else self.alike.get(key, key)

    def packed(self, common: bytes = b"") -> bytes:
        """The view as bytes; a key that is the text of its line is left out. common: packed, another view, of which
        this one may repeat much."""
        entries = tuple(each._replace(key="") if each.key == each.text else each for each in self.entries)
        packing = zlib.compressobj(zdict=zlib.decompress(common) if common else b"")
        return packing.compress(msgspec_json.encode(structs.replace(self, entries=entries))) + packing.flush()

    def says_what(self, other: "View") -> bool:
        """True if another answer says the same, line by line."""
        are_alike = all(
            getattr(self, name) == getattr(other, name) for name in ("status", "address", "reason", "digest")
        )
        return are_alike and {entry.key for entry in self.entries} == {entry.key for entry in other.entries}

    @staticmethod
    def unpacked(packed: bytes, url: str, common: bytes = b"") -> "View":
        """The view of a watched page. common: as in `packed`. Raises StoreError for damaged bytes."""
        try:
            packing = zlib.decompressobj(zdict=zlib.decompress(common) if common else b"")
            view = msgspec_json.decode(packing.decompress(packed) + packing.flush(), type=View)
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
        is_feed=bool(parsed.text) and (media_type(fetched.content_type) or "").endswith("xml"),
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
    lines, blocks = markdown.split("\n"), list(blocks_of(markdown))
    items = [_ITEM.match(lines[block.start]) is not None for block in blocks]
    teased = _teased(blocks, items, is_beside=is_beside)
    for number, block in enumerate(blocks):
        if block.is_code:
            for line in block.texts[0].split("\n"):
                yield _entry("text", line.strip())._replace(is_beside=is_beside)
            continue
        words, links = (" | ".join(block.texts), []) if block.is_row else read(block.markdown)
        line = " ".join(words.split())
        # What is for sale is content wherever it stands, and so is a list of other things than links.
        is_aside = number in teased or (is_beside and (bool(links) or not items[number]))
        for entry in _line(line):
            yield entry._replace(is_beside=is_aside and entry.kind == "text")
        for link in links:
            label = " ".join(words[link.start : link.end].split())
            key = f"{_key(label)} {address_key(link.url)}"
            is_teaser = number in teased or (is_beside and not _says(words[: link.start] + words[link.end :]))
            yield Entry("link", f"{label} {link.url}".strip(), key, is_teaser)
        for alt, source in _PICTURE.findall(block.markdown):
            key = f"{alt} {urlsplit(source).path}"
            yield Entry("image", f"{alt} {source}".strip(), key, is_beside or number in teased)


def _teased(blocks: Sequence[Block], items: Sequence[bool], *, is_beside: bool) -> Set[int]:
    """The numbers of the blocks below words that announce what changes by itself, such as "Related articles": a list,
    the parts of a section with headings of their own, or two lines; and of what asks whether cookies may be kept. None
    if these are half of the blocks: the page is of them; unless all stand beside the content. items: whether each block
    is an item of a list."""
    consents = [number for number, block in enumerate(blocks) if _asks_consent(block.markdown)]
    found = set(consents if len(consents) <= _MOST_CONSENT else ())
    for number, block in enumerate(blocks):
        is_heading = not (number in found or items[number] or block.is_row) and len(block.markdown) <= _LONGEST_TEASING
        if is_heading and _TEASING.fullmatch(block.markdown.casefold().strip(" *_:…»>?")):
            found.update(_section(blocks, items, number))
    return found if is_beside or 2 * len(found) < len(blocks) else frozenset()


def _section(blocks: Sequence[Block], items: Sequence[bool], heading: int) -> Iterator[int]:
    level, lines = blocks[heading].level, 0
    for number in range(heading + 1, len(blocks)):
        is_deeper = blocks[number].level > level > 0
        if blocks[number].level and not is_deeper:
            return
        lines = 0 if is_deeper else lines + (not items[number])
        if lines > _TEASER or (lines and items[number - 1]):
            return
        yield number


def _asks_consent(line: str) -> bool:
    return len(line) <= _CONSENT_LINE and _COOKIE.search(line) is not None and _CONSENT.search(line) is not None


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
_ITEM = re.compile(r"[ >]*(?:-|\d+\.) ")
_PICTURE = re.compile(r"!\[((?:[^\[\]\\]|\\.)*)\]\((<[^>]*>|[^)]*)\)")
_TOKEN = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w-])|\b\d{16,}\b")
_NUMBER = re.compile(r"(?:(?<![\w)])[+−-])?\d+(?:[.,:\u00a0 ]\d+)*")
_COUNTER = re.compile(
    r"\b(?:views?|visit(?:or|e|a)?s?|viewers?|hits|seen|votes?|likes?|shares?|downloads?|clicks|online|watching|looking"
    r"|aufrufe|besuche(?:r)?|gelesen|stimmen|vues?|visites?|visitas?|lecturas?|visualizzazioni|visite|odsłon\w*"
    r"|bezoekers|weergaven|visningar|просмотр\w*|посетител\w*|голос\w*)\b|浏览|阅读|次观看|閲覧|조회",
    re.IGNORECASE,
)
_REMARKS = (
    r"(?:comments?|replies|reviews?|ratings?|followers?|subscribers?|kommentare?n?|antworten|bewertungen|commentaires?"
    r"|réponses?|comentarios?|respuestas?|commenti|risposte|recensioni|reacties|komentarz\w*|opini[ei]|комментари\w*"
    r"|отзыв\w*|评论|コメント)"
)
_REMARKED = re.compile(rf"\d[\d.,]*[km]?(?= ?{_REMARKS}\b)|(?<=[💬👁👍👎❤♥] )\d[\d.,]*[km]?", re.IGNORECASE)
"""The number of what people say of something."""
_REMARKS_ALONE = re.compile(rf"{_REMARKS}\W{{1,3}}\d[\d.,]*\W?", re.IGNORECASE)
_COUNTER_LINE, _REMARKED_LINE = 60, 200
_TEASING = re.compile(
    r"(?:\w+ )?(?:poll|survey|umfrage|sondage|encuesta|sondaggio|enquete|ankieta|sonda|опрос)(?: of the \w+)?(?:: .*)?"
    r"|(?:quote|word|tip|thought|fact|joke|photo|picture|image|verse|proverb) of the (?:day|week|hour|moment)"
    r"|related(?: \w+){0,2}|similar \w+|recommend(?:ed|ations)(?: \w+){0,3}|popular(?: \w+){0,2}|trending(?: \w+){0,2}"
    r"|most (?:read|viewed|popular|shared|commented)(?: \w+){0,3}"
    r"|recently (?:viewed|read)(?: \w+){0,3}"
    r"|(?:\w+ )?(?:people|customers|users|readers|visitors|shoppers|others)(?: who \w+(?: \w+){0,2})? also \w+.*"
    r"|(?:people|customers|users|readers) who (?:viewed|bought|read|liked|watched)\b.*"
    r"|(?:you )?(?:may|might) also (?:like|enjoy)\b.*|more (?:stories|articles|posts|like this)(?: \w+){0,3}"
    r"|more from \w+(?: \w+){0,2}|editor'?s'? (?:picks?|choice)|sponsored(?: \w+)?|promoted(?: \w+)?|advertisements?"
    r"|who is online|who's online|(?:zitat|spruch|wort|tipp|bild) des tages"
    r"|(?:ähnliche|verwandte|weitere|beliebte|meistgelesene) "
    r"(?:\w+ )?(?:artikel|beiträge|themen|kommentare|produkte|meldungen)"
    r"|meistgelesen|das könnte (?:sie|dich) auch\b.*|(?:kunden|nutzer|leser),? (?:die|kauften|sahen)\b.*"
    r"|das interessiert \w+(?: \w+)?|empfehlungen(?: \w+){0,3}|(?:citation|mot|photo) du jour"
    r"|(?:articles? |sujets? )?(?:similaires|liés|associés|recommandés)|à lire aussi"
    r"|les plus (?:lus|vus|populaires)|vous aimerez aussi|les \w+ (?:\w+ ){1,4}ont aussi \w+"
    r"|(?:cita|frase|foto) del día|(?:\w+ )?relacionad[oa]s|lo más (?:leído|visto)"
    r"|(?:también )?te puede interesar|(?:citazione|frase|foto) del giorno|(?:\w+ )?correlati"
    r"|i più (?:letti|visti)|potrebbe(?:ro)? interessart[ei]|(?:citação|frase) do dia"
    r"|mais (?:lidas|lidos|vistos|populares)|você também pode gostar|(?:citaat|woord) van de dag|gerelateerde? ?\w*"
    r"|meest (?:gelezen|bekeken)|cytat dnia|(?:powiązane|podobne) \w+|najczęściej czytane"
    r"|цитата дня|похожие \w+|читайте также|самое читаемое|每日一句"
    r"|相关(?:文章|新闻|阅读|推荐)|推荐阅读|热门\w*|猜你喜欢|関連記事|人気記事|おすすめ\w*"
    r"|今日の名言"
)
"""Words above what changes by itself: teasers, and what is another each day."""
_COOKIE = re.compile("[Cc]ookie|COOKIE|[Кк]уки|ciasteczk")
_CONSENT = re.compile(
    r"\b(?:uses?|accept|agree|consent|reject|decline|allow|verwende|nutz|akzeptier|zustimm|stimmen|einverstanden|utilis"
    r"|refus|usa|acepta|rechaza|accett|rifiut|aceit|gebruik|używa|akcept|zgod|использ|соглас|принима)|同意|接受|使用",
    re.IGNORECASE,
)
"""What asks whether cookies may be kept."""
_CONSENT_LINE, _MOST_CONSENT = 300, 2
_LONGEST_TEASING = 120
_TEASER = 2
"""Lines below such words, where they are no list."""
_CURRENCY = r"[$€£¥₹₽₩₺₴₫฿]|\b(?:EUR|USD|GBP|CHF|PLN|zł|kr|SEK|NOK|DKK|CZK|Kč|HUF|Ft|RON|lei|JPY|CNY|RUB|INR|BRL|R\$)\b"
_MONEY = re.compile(_CURRENCY, re.IGNORECASE)
_PRICE = re.compile(rf"(?:{_CURRENCY})\s*\d|\d\s*(?:{_CURRENCY})", re.IGNORECASE)
_RATE = re.compile(r"\d[.,]\d{4,}")
"""What one currency is in another: no price has so many decimals."""
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
_LIVE = re.compile(
    r"\b(?:people|persons?|visitors?|users?|members?|guests?|shoppers?|customers?|viewers?|readers?|others"
    r"|besucher|nutzer|personen|leser|kunden|gäste|personnes|visiteurs|utilisateurs|internautes|lecteurs|personas"
    r"|usuarios|visitantes|lectores|clientes|persone|utenti|visitatori|lettori|pessoas|leitores|bezoekers|gebruikers"
    r"|lezers|osób|osoby|użytkowników|gości|человек|посетител\w*|пользовател\w*|читател\w*)\b|[人位名]",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:reading|viewing|watching|looking|browsing|online|lesen|sehen|schauen|ansehen|lisent|regardent|consultent"
    r"|en ligne|leyendo|viendo|mirando|en línea|conectad[oa]s|leggendo|guardando|vedendo|lendo|vendo|assistindo"
    r"|bekijken|kijken|lezen nu|czyta|ogląda|przegląda|читают|смотрят|онлайн)\b|在线|正在|オンライン|閲覧中",
    re.IGNORECASE,
)
_LIVE_LINE = 160
_A = r"(?:\d+(?:[.,]\d+)? ?|(?:an?|one|ein\w*|une?|uma?|een|en|ett?|jedn\w*|bir|egy|o|één) |un['’])"
_RELATIVE = re.compile(
    rf"\b(?:{_A}[^\W\d]+\.?,? ?(?:and |und |y |et |e |en |i )?){{1,2}}(?<= )"
    r"(?:ago|fa|geleden|назад|тому|siden|sitten|önce|ezelőtt|trước|yang lalu|atrás)\b"
    rf"|\b(?:(?:{_A}{SPAN} (?:i |och )?)?{_A})?{SPAN} (?:temu|sedan)\b"
    rf"|\b{_A}[^\W\d]{{1,5}} ago\b|\b[^\W\d]+ (?:назад|тому)\b|\d+ ?[^\W\d]{{1,3}} ?[前전]"
    rf"|\b(?:przed|acum|πριν(?: από)?|منذ|قبل|לפני|преди|pred|prije|prieš) {_A}[^\W\d]+\.?"
    r"|\b(?:před|przed|pred) (?:\w*chv?il\w+|minut\w+|hodin\w+|godzin\w+|týdn\w+|tygodni\w+|rokem)"
    r"|\b(?:just now|(?:a )?moments? ago|yesterday|today|gerade eben|gestern|vorgestern|heute|à l['’]instant|hier"
    r"|avant-hier|aujourd['’]hui|ahora mismo|ayer|anteayer|hoy|adesso|ieri|oggi|agora|ontem|hoje|zojuist|gisteren"
    r"|vandaag|wczoraj|dziś|dzisiaj|только что|вчера|сегодня|az önce|dün|bugün|i går|i dag|igår|idag|just nu|včera|dnes"
    r"|eilen|tänään)$|(?:刚刚|今天|昨天|前天|たった今|今日|昨日|一昨日|방금|오늘|어제)$",
    re.IGNORECASE,
)
"""Times relative to now that lines of data have, beside those that `without_relative_dates` knows."""
_SIGNS_OF_AGO = """ago fa geleden temu назад тому siden sedan sitten önce ezelőtt trước lalu atrás przed acum πριν
    منذ قبل לפני преди pred před prije prieš now yesterday today eben gestern vorgestern heute instant hier aujourd
    mismo ayer anteayer hoy adesso ieri oggi agora ontem hoje zojuist gisteren vandaag wczoraj dziś dzisiaj что вчера
    сегодня dün bugün går dag igår idag nu včera dnes eilen tänään"""
_AGO_WORDS = frozenset(_SIGNS_OF_AGO.split())
_AGO_SIGN = re.compile("[前전刚今昨방오어た]")
"""What one of these has: to look for it is cheap."""
_RELATIVE_LINE = 100
_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"\w+")
_SHORTEST_TOKEN = 7
_DIGEST = re.compile(r"(?<![^\W_])(?=[0-9a-f]*\d[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}(?![^\W_])")
"""The number of a build, or of a commit."""
_SESSION = re.compile(r";[^/?#]*")
_SLACK = 900.0
"""Seconds by which the day of an answer may end sooner."""
_CLOCK = re.compile(
    r"(?<![\d:+−-])([01]?\d|2[0-3])(?:[:h]|\.(?=\d\d ?(?:Uhr|ч)))([0-5]\d)(?::\d\d(?:\.\d+)?)?"
    r"( ?[ap]\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
_UNIX = re.compile(r"(?<!\d)(1\d{9})(?:\d{3})?(?!\d)")
"""Seconds or milliseconds since 1970."""
_AHEAD, _DIAL = 2, 12 * 60
"""Minutes by which the clock of a server may be ahead; minutes of a dial."""
_LATE, _LATE_WITH_DAY = 30, 60
"""Minutes by which it may be late, nearly; with its day it may be that of a copy of the last hour."""
_ZONES = (-12, -6, -1, 0, 1, 6, 14)
"""Hours by which the day of a server may be another."""
_WEEKDAYS = "mon|tue|wed|thu|fri|sat|sun"


def _line(line: str) -> Iterator[Entry]:
    """A line; of one that says what a thing costs, or whether there are any, that."""
    offers = _AVAILABILITY.search(line) if len(line) <= _AVAILABILITY_LINE else None
    amount = None if _RATE.search(line) else _PRICE.search(line)
    if amount:
        others = _letters(line) - sum(_letters(each[0]) for each in (amount, offers) if each)
        amount = amount if others <= _LETTERS_OF_PRICE else None
    if amount:
        rest = f"{line[: offers.start()]}{line[offers.end() :]}" if offers else line
        yield Entry("price", line, rest)
    if offers:
        yield Entry("availability", line, offers[0])
    if not (amount or offers):
        yield _entry("text", line)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _says(text: str) -> bool:
    """True for words, and not for an amount of money."""
    return _letters(text) > 0 and _letters(_MONEY.sub("", text)) > 0


def _entry(kind: str, text: str) -> Entry:
    text = text[:_LONGEST_LINE]
    return Entry(kind, text, _key(text) if kind in ("text", "data") else _TOKEN.sub("•", text))


def _key(text: str) -> str:
    key = _RELATIVE.sub("", text) if len(text) <= _RELATIVE_LINE and _may_be_relative(text) else text
    key = without_relative_dates(key)
    if not _DIGIT.search(key):
        return key
    key = " ".join(word if word.isalpha() else _without_token(word) for word in key.split(" "))
    if len(key) <= _REMARKED_LINE:
        key = _REMARKED.sub("0", key)
    return shape(key) if _counts(key) else key


def _may_be_relative(line: str) -> bool:
    return _AGO_SIGN.search(line) is not None or not _AGO_WORDS.isdisjoint(_WORD.findall(line.lower()))


def _without_token(word: str) -> str:
    if len(word) < _SHORTEST_TOKEN or not _DIGIT.search(word):
        return word
    return _DIGEST.sub("•", _TOKEN.sub("•", word))


def _counts(line: str) -> bool:
    """True for a line that counts visitors, votes and the like, or says how many people do something now."""
    if len(line) <= _COUNTER_LINE and (_COUNTER.search(line) or _REMARKS_ALONE.fullmatch(line)):
        return True
    return len(line) <= _LIVE_LINE and _DOING.search(line) is not None and _LIVE.search(line) is not None


def shape(key: str) -> str:
    """A key with every number as 0."""
    return _NUMBER.sub("0", key) if _DIGIT.search(key) else key  # the first look is fast


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
    """A key without the day and the time of the answer that it is of. at: Unix seconds. Of a time stays how far it is
    off, as the clocks of a zone are: else a meeting that moves by an hour were none."""
    minutes = int(at // 60)
    undated = _days(int(at // _SLACK)).sub("today", key)
    late = _LATE if undated == key else _LATE_WITH_DAY

    def zone(found: re.Match[str]) -> str:
        ahead = int(found[1]) * 60 + int(found[2]) - minutes - _AHEAD
        half = (found[3] or "") if undated == key else ""
        return f"now {-(-ahead // late) % (_DIAL // late)}{half}"

    def now(found: re.Match[str]) -> str:
        return "now" if abs(int(found[1]) - at) < _LATE_WITH_DAY * 60 else found[0]

    return _UNIX.sub(now, _CLOCK.sub(zone, undated))


@lru_cache(64)
def _days(quarter: int) -> re.Pattern[str]:
    """How people write the day of an answer, perhaps with a weekday. quarter: of an hour, since 1970."""
    at = datetime.fromtimestamp(quarter * _SLACK, UTC)
    days = {(at + timedelta(hours=hours)).date() for hours in _ZONES}
    written = "|".join(form for day in days for form in _written(day))
    return re.compile(rf"(?:\b(?:{_WEEKDAYS})[a-z]*,? )?(?<!\d)(?<!\d[.,])(?:{written})(?!\d)", re.IGNORECASE)


def _written(day: date) -> Iterator[str]:
    """Patterns of the ways in which a day is written; a month may be any word, as its name is another in each
    language."""
    year, month, number = day.year, f"0?{day.month}", f"0?{day.day}"
    yield rf"{year}[-/.年년] ?{month}[-/.月월] ?{number}[日일]?"
    yield rf"{number}[-/.] ?{month}[-/.] ?{year}"
    yield f"{month}/{number}/{year}"
    yield rf"{day:%Y%m%d}(?:\d{{4}}|\d{{6}})?"
    yield rf"{number}(?:\.|st|nd|rd|th)?(?: de| of)? [^\W\d]+[.,]?(?: de| г)? {year}"
    name = rf"{day:%b}[a-z]*\.?"
    yield rf"{name} {number}(?:st|nd|rd|th)?,? {year}"
    yield rf"{day:%a}[a-z]*,? (?:{name} {number}|{number}(?:\.|st|nd|rd|th)? {name})"
