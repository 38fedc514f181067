"""What a page says of itself: its author, site, licence, and when it was published and modified.

It is said in JSON-LD, in meta elements, in microdata and time elements, in the URL, or in words; the first that says it
counts. A wrong date is worse than none: one of a list of pages, of a comment or of something else on the page is not
taken, nor one that can be read as two.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.web.html.browser_tree import BrowserTree
from minicrawl.web.html.facts import one_line
from minicrawl.web.html.json_ld import json_ld_values
from minicrawl.web.kept_text import About
from minicrawl.web.urls.normalise import normalise

_SELECTOR = "meta[content],time,h1,h2,h3,h4,script[type*='ld+json' i],[itemprop],[rel~='author' i],[rel~='license' i]"
_MOST_ELEMENTS, _MOST_OBJECTS = 2_000, 200
_LONGEST_NAME, _LONGEST_TEXT = 200, 1_000
_YEAR = re.compile(r"[12][09]\d\d(?!\d)")
_LONGEST_LINE, _END = 300, 2_000
"""Characters of a line that may say when its page was made; of either end of a text that are searched for it."""
_MOST_AUTHORS = 50
_FIRST_YEAR = 1991
"""That of the first page."""
_HEADINGS = ("h1", "h2", "h3", "h4")
_PUBLICATIONS = ("datePublished", "datePosted", "uploadDate", "dateCreated")

_PUBLISHED = re.compile(r"publi(?!sher)|pub-?date|issued|created|posted|release|(?:^|[.:_-])date$", re.IGNORECASE)
_MODIFIED = re.compile(r"modif|updat|revis", re.IGNORECASE)
_OTHER_DATE = re.compile(r"expir|valid|birth|death|event|start|end|until|unavailable", re.IGNORECASE)
_AUTHOR = re.compile(r"(?:^|[.:_-])(?:author|creator)$", re.IGNORECASE)
_NAMES = {
    "site_name": re.compile(r"og:site_name$|application-name$", re.IGNORECASE),
    "licence": re.compile(r"(?:^|[.:])licen[cs]e$", re.IGNORECASE),
    "description": re.compile(r"(?:^description|og:description|dc\.description)$", re.IGNORECASE),
}
_ASIDE = re.compile(r"Organization|Person|Site|List|Image|Offer|Event|Rating|Place|Business|Action|Comment|Brand")
"""Types of JSON-LD that are not the page, nor what it is about."""

_ISO = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?:\d\d(?::\d\d)?)(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?!\d)"
)
_IN_URL = re.compile(r"[/_.-]((?:19|20)\d\d)([/_-]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?=[/_.-]|\Z)")
_MONTHS = (
    *("jan ene gen янв sty oca", "feb fev fév фев lut şub", "mar mär maa мар", "apr abr avr апр kwi nis"),
    *("may mai mag mei maj мая май", "jun juin giu июн cze haz", "jul juil lug июл lip tem", "aug ago aoû авг sie ağu"),
    *("sep set сен wrz eyl", "oct okt out ott окт paź eki", "nov ноя lis kas", "dec dez dic déc дек gru ara"),
)
"""How the names of months begin."""
_MONTH = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_NAME = r"(?P<{}>[^\W\d_]{{3,12}})\.?"
_DATE = re.compile(
    rf"(?<![\d.])(?:(?P<d1>\d\d?)(?:st|nd|rd|th|er|º|\.)?(?:\s+(?:of|de))?\s+{_NAME.format('m1')},?(?:\s+del?)?\s+(?P<y1>\d{{4}})"
    r"|(?P<y2>\d{4})(?:[/.]|\s?年|\s?년)\s?(?P<m2>\d\d?)(?:[/.]|\s?月|\s?월)\s?(?P<d2>\d\d?)[日일]?"
    r"|(?P<d3>\d\d?)(?P<sign>[./-])(?P<m3>\d\d?)(?P=sign)(?P<y3>\d{4}))(?!\d)"
    rf"|\b{_NAME.format('m4')}\s+(?P<d4>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<y4>\d{{4}})(?!\d)"
)
_SAYS_PUBLISHED = re.compile(
    r"publi|posted|released|veröffentlicht|erschienen|pubblic|gepubliceerd|julkaist|opubl|опублик|yayın|发布|發布|公開|投稿|게시|등록|입력",
    re.IGNORECASE,
)
_SAYS_MODIFIED = re.compile(
    r"updat|modif|edited|changed|revised|aktuali[sz]iert|actuali|geändert|mise? à jour|aggiorn|bijgewerkt|gewijzigd|"
    r"uppdater|opdater|oppdater|päivitet|zmian|обновл|изменен|güncel|更新|수정",
    re.IGNORECASE,
)
_BYLINES = 20
"""Lines at the beginning of a text that may name its author."""
_BY = re.compile(r"[^\w\n]*(?:written )?(?:by|von|par|por|door|av|af|aut|auth)", re.IGNORECASE)
_BYLINE = re.compile(
    r"(?:written )?(?:by|von|par|por|door|av|af|autore?|auteur|author):? "
    r"(?P<name>[^\W\d_][^|•·,:\d]{2,60}?)\s*(?:[|•·]|,? ?\d| on\b|\Z)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?:.*[|·•—–])?\s*(?:[^\W\d_]+[,.]\s+)?"), re.compile(r"\s*(?:[^\w\s(]|\d|\Z)")
"""What stands before and behind a date that is told by itself: before it may be a day of the week."""
_LONGEST_LABEL = 12
"""Characters behind a date that say what it is of."""
_MARKS = re.compile(r"\]\([^)\n]*\)|[*_\[\]\\#>`|]+")


class _Mark(NamedTuple):
    """A heading of a page, or a date and what it is of: published, modified, or "" if that is not said. is_property: of
    an item, which may be a comment."""

    level: int
    kind: str = ""
    at: str = ""
    is_property: bool = False


def declared(about: About, tree: BrowserTree, url: str, content: str, rest: str) -> About:
    """What is known of a page at `url`, and what it says of itself. content, rest: its words as Markdown."""
    said, authors, marks, scripts = dict[str, str](), dict[str, None](), list[_Mark](), list[str]()
    licences, others, headings = dict[str, None](), set[str | None](), 0
    for tag, attributes, words in islice(tree.requiring(_SELECTOR), _MOST_ELEMENTS):
        names = map(attributes.get, ("property", "name", "itemprop", "http-equiv"))
        name = next(filter(None, names), "").strip()
        value = attributes.get("content") or ""
        rel = (attributes.get("rel") or "").lower().split()
        if tag == "script":
            scripts.append(words())
        elif tag in _HEADINGS:
            headings += 1
            marks.append(_Mark(int(tag[1])))
        elif tag == "time" or (tag != "meta" and "date" in name.lower()):
            at = moment(attributes.get("datetime") or value or words())
            if _OTHER_DATE.search(name):
                others.add(at)
            elif at is not None:
                pubdate = "pubdate" if "pubdate" in attributes else ""
                marks.append(_Mark(0, _kind(f"{name} {attributes.get('class') or ''} {pubdate}"), at, bool(name)))
        elif "license" in rel:
            licences[normalise(attributes.get("href") or "", url) or ""] = None
        elif tag == "meta" and value:
            _read_meta(name, value, said, authors)
        elif ("author" in rel or name.lower() == "author") and headings <= 1:
            said.setdefault("author", value or words())  # not that of a comment
    page = _page_of([each for script in scripts for each in _roots(script)], url)
    ends = (content[:_END], content[_END:][-_END:], rest[:_END], rest[_END:][-_END:])
    in_words, beside = _dates_in("\n".join(ends)), _beside_heading(marks)
    in_url = _IN_URL.search(url)
    published = [
        *(page.get("published"), said.get("published"), beside.get("published")),
        *(in_url and moment(f"{in_url[1]}-{in_url[3]}-{in_url[4]}"), in_words.get("published")),
    ]
    modified = next(filter(None, (each.get("modified") for each in (page, said, beside, in_words))), None)
    # The only date of a page that tells of its last change is that of the change.
    if (unsaid := beside.get("") or in_words.get("")) and unsaid not in others and unsaid[:10] != (modified or "")[:10]:
        published.append(unsaid)
    first = next(filter(None, published), None)
    bylines = (_author_in(line) for text in (content, rest) for line in text[:_END].split("\n", _BYLINES)[:_BYLINES])
    byline = next(filter(None, bylines), None)
    return About(
        about.title,
        about.language,
        about.description or one_line(said.get("description") or page.get("description"), _LONGEST_TEXT),
        about.index,
        one_line(page.get("author") or ", ".join(authors) or said.get("author") or byline, _LONGEST_NAME),
        one_line(said.get("site_name") or page.get("site_name"), _LONGEST_NAME),
        one_line(page.get("licence") or said.get("licence") or "".join(licences) * (len(licences) == 1), _LONGEST_TEXT),
        first,
        modified if modified and modified >= (first or "") else None,
    )


def _kind(names: str) -> str:
    """What a date is of, by its names: a page that is as it was published may say both."""
    if _OTHER_DATE.search(names):
        return ""
    said = [bool(_MODIFIED.search(name)) for name in names.split() if _MODIFIED.search(name) or _PUBLISHED.search(name)]
    return "modified" if said and all(said) else "published" if said else ""


def _read_meta(name: str, content: str, said: dict[str, str], authors: dict[str, None]) -> None:
    if _AUTHOR.search(name):
        if not re.match(r"https?:|[/@]", content):
            authors[content.strip()] = None
    elif (kind := _kind(name)) and (at := moment(content)):
        said.setdefault(kind, at)
    for field, sign in _NAMES.items():
        if sign.search(name):
            said.setdefault(field, content)


def _roots(script: str) -> Iterator[dict[str, Any]]:
    """The objects of a script of JSON-LD that may be the page or what it is about."""
    try:
        found: list[Any] = [*json_ld_values(script)]
    except RecursionError:
        return
    for value in islice(found, _MOST_OBJECTS):  # which grows
        if isinstance(value, list):
            found += value
        elif isinstance(value, dict):
            yield value
            found += (value[name] for name in ("@graph", "mainEntity", "mainEntityOfPage") if name in value)


def _page_of(roots: list[dict[str, Any]], url: str) -> dict[str, str]:
    """What JSON-LD says of the page: its dates, and fields as `declared` has them."""
    objects = [each for each in roots if not _ASIDE.search(_words(each.get("@type")))]
    objects.sort(key=lambda each: "Page" in _words(each.get("@type")))  # an article before its page
    dated = [(each, at) for each in objects for name in _PUBLICATIONS if (at := moment(_words(each.get(name))))]
    if len({at[:10] for each, at in dated if "Page" not in _words(each.get("@type"))}) > 1:  # a list of articles
        objects = [each for each in objects if url in _urls(each, url)]
        dated = [(each, at) for each, at in dated if url in _urls(each, url)]
    found = {"published": dated[0][1]} if dated else {}
    fields = {"modified": ("dateModified",), "author": ("author", "creator"), "description": ("description",)}
    fields |= {"licence": ("license",), "site_name": ("publisher",)}
    for field, names in fields.items():
        values = (_words(each.get(name)) for each in objects for name in names)
        if value := next(filter(None, values), ""):
            found[field] = (moment(value) or "") if field == "modified" else value
    sites = (_words(each.get("name")) for each in roots if _words(each.get("@type")) == "WebSite")
    return found | {"site_name": next(filter(None, sites), "") or found.get("site_name", "")}


def _words(value: object) -> str:
    """A value of JSON-LD as words: of objects their names, else their addresses."""
    if isinstance(value, list):
        return ", ".join(dict.fromkeys(filter(None, map(_words, value[:_MOST_AUTHORS]))))
    if isinstance(value, dict):
        named = (value.get(name) for name in ("name", "@value", "url", "@id"))
        return next((each for each in named if isinstance(each, str) and each), "")
    return value if isinstance(value, str) else ""


def _urls(value: dict[str, Any], url: str) -> set[str | None]:
    named = (value.get(name) for name in ("url", "@id", "mainEntityOfPage"))
    ids = (each.get("@id") if isinstance(each, dict) else each for each in named)
    return {normalise(each.partition("#")[0], url) for each in ids if isinstance(each, str)}


def _beside_heading(marks: list[_Mark]) -> dict[str, str]:
    """The dates of a page by what they are of: the first of each kind. Of dates that do not say, that beside the first
    heading of the page counts, or the only one. A list has none: a heading stands between each date and the next."""
    days = {mark.at[:10] for mark in marks if mark.at}
    if not days:  # as on most pages
        return {}
    found, between, gaps = dict[str, str](), 0, list[int]()
    h1 = next((at for at, mark in enumerate(marks) if mark.level == 1), None)
    part = next((at for at, mark in enumerate(marks) if mark.level and h1 is not None and at > h1), len(marks))
    for at, mark in enumerate(marks):
        if mark.level:
            between += 1
            continue
        gaps.append(between)
        between = 0
        is_beside = len(days) == 1 if h1 is None else h1 - 1 <= at < part
        if is_beside or (mark.kind and not mark.is_property):
            found.setdefault(mark.kind, mark.at)
    is_list = len(gaps) > 2 and min(gaps[1:]) >= 1 and len(days) > 1
    return {} if is_list else found


def _dated_lines(text: str) -> Iterator[tuple[str, bool]]:
    """The short lines with a year, without the signs of Markdown; True for those behind the heading of a part."""
    end = -1
    for year in _YEAR.finditer(text):
        if year.start() < end:
            continue
        start, end = text.rfind("\n", 0, year.start()) + 1, text.find("\n", year.start())
        end = len(text) if end < 0 else end
        if end - start <= _LONGEST_LINE:
            yield _MARKS.sub(" ", text[start:end].replace("\\", "")).strip(), "\n##" in text[:start]


def _dates_in(text: str) -> dict[str, str]:
    """Dates that words say: of lines that say what they are of, and the only one that stands by itself."""
    found, alone = dict[str, dict[str, bool]](), set[str]()
    for line, is_in_part in _dated_lines(text):
        places = (*_ISO.finditer(line), *_DATE.finditer(line))
        dates = [(*place.span(), at) for place in places if (at := moment(place[0]))]
        dates.sort()
        edges = [0, *(edge for start, end, _ in dates for edge in (start, end)), len(line)]
        labels = [line[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        kinds = [_kind_in(label) for label in labels]
        is_behind = bool(kinds[-1]) and not kinds[0] and len(labels[-1]) <= _LONGEST_LABEL  # as in Japanese
        for (start, end, at), kind in zip(dates, kinds[is_behind:], strict=False):
            if kind:
                found.setdefault(kind, {}).setdefault(at, is_in_part)
            elif _author_in(line) or (_ALONE[0].fullmatch(line[:start]) and _ALONE[1].match(line[end:])):
                alone.add(at)
    # Of several, the first counts, if no part of the page has a heading before it.
    told = {kind: next(iter(days)) for kind, days in found.items() if len(days) == 1 or not next(iter(days.values()))}
    return told | ({"": alone.pop()} if len(alone) == 1 else {})


def _kind_in(label: str) -> str:
    return "modified" if _SAYS_MODIFIED.search(label) else "published" if _SAYS_PUBLISHED.search(label) else ""


def _author_in(line: str) -> str:
    """The name in a line such as "By Ann Lee | 5 March"; empty for none, as in "By the river"."""
    found = _BYLINE.match(_MARKS.sub(" ", line).strip()) if _BY.match(line) else None
    words = found["name"].split() if found else ["by"]
    return " ".join(words) if not (words[0][0].islower() or words[-1][0].islower()) else ""


def moment(text: str) -> str | None:
    """A date, and its time if it has one, as ISO 8601 in UTC; None for what is not a date, or may be two."""
    text = text[:_LONGEST_NAME].strip()
    if iso := _ISO.match(text):
        year, month, day, clock, zone = iso.groups()
        zone = "+00:00" if zone in (None, "Z", "UTC", "GMT") else zone
        clock = clock and f"{clock.zfill(5) if len(clock) < 6 else clock.zfill(8)}"
        written = f"{year}-{month:0>2}-{day:0>2}T{clock or '00:00'}{zone if clock else '+00:00'}"
    elif (found := _DATE.search(text)) is not None:
        names = {name[0]: value for name, value in found.groupdict().items() if value and name != "sign"}
        day, month, year = names["d"], names["m"], names["y"]
        if not month.isdecimal():
            number = _MONTH.get(month[:4].lower()) or _MONTH.get(month[:3].lower())
            month = str(number or 0)
        elif found["sign"] in ("/", "-"):
            if int(month) > 12:
                day, month = month, day
            elif int(day) <= 12 and day != month:  # of America or of Europe
                return None
        written = f"{year}-{month:0>2}-{day:0>2}T00:00+00:00"
    else:
        return None
    try:
        at = datetime.fromisoformat(written).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at.year >= _FIRST_YEAR else None
