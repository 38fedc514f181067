"""The things that a page tells of, across the syntaxes: one flat record each.

Of two syntaxes, records are of the same thing if they are the only ones of their kind, or of one kind with the same
URL, or with the same name and no URLs that differ; a value is that of the first syntax with it. OpenGraph and Dublin
Core tell of the page itself: they add to the thing with its name or URL, else to the only one of their kind.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from minicrawl.extract.document import single_spaced
from minicrawl.extract.structured.bounded_page import joined

_TEXTS = {
    "publisher": ("publisher", "site_name", "sourceOrganization"),
    "published": ("datePublished", "published_time", "dateCreated", "issued", "date", "created"),
    "modified": ("dateModified", "modified", "modified_time", "updated_time"),
    "brand": ("brand", "manufacturer"),
    "sku": ("sku", "retailer_item_id", "mpn", "gtin13", "gtin"),
    "starts": ("startDate", "start_time"),
    "ends": ("endDate", "end_time"),
}
"""Fields that are a text of a node, and the properties with it, the best first."""
COLUMNS: dict[str, type] = dict.fromkeys(("kind", "name", "link", "description", "image", "author", *_TEXTS), str) | {
    **dict.fromkeys(("price", "rating"), float),
    **dict.fromkeys(("currency", "availability", "location"), str),
    "ratings": int,
}
"""The fields of things, with the types of their values."""

_KIND = re.compile(
    r"(?P<breadcrumb>BreadcrumbList)|(?P<recipe>Recipe)|(?P<question>Question)|(?P<person>Person)|"
    r"(?P<product>(?:Individual)?Product(?:Group|Model|\.item)?|Vehicle|Car|Motorcycle|Book|VideoGame|\w*Application)|"
    r"(?P<event>\w*Event|EventSeries|CourseInstance|Festival|Hackathon)|"
    r"(?P<article>\w*Article|(?!Job)\w+Posting|Report|HowTo|APIReference|CreativeWork)|"
    r"(?P<organisation>\w*(?:Organization|Business|Store|Restaurant)|Corporation|NGO|CollegeOrUniversity|School|Hotel|"
    r"FoodEstablishment|Dentist|Physician|Hospital|PerformingGroup|MusicGroup|SportsTeam|AutoDealer|RealEstateAgent|"
    r"(?:Professional|Financial|Legal)Service|Airline|TravelAgency)",
    re.IGNORECASE,
)
"""Kinds, by the local names of types in schema.org and OpenGraph."""
_MAIN = ("breadcrumb", "recipe", "product", "event", "article")
"""Kinds of which a page with one in each of two syntaxes has the same in both."""
_WITHIN = (
    *("@graph", "mainEntity", "mainEntityOfPage", "mainContentOfPage", "itemListElement", "item", "breadcrumb"),
    *("blogPost", "blogPosts", "hasPart", "event", "events", "dataFeedElement"),
)
"""Properties whose values are things of the page; those of others, as a publisher, only tell of their owner."""
_ASIDE = frozenset({"author", "creator", "performer", "seller", "review"})
"""Properties that may refer to nodes beside their owner."""
_ADDRESS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
_MOST, _DEEPEST, _VALUES, _LONGEST, _DIGITS = 1_000, 20, 20, 2_000, 18
"""Maximum things of a page, their nesting, values of a property to look at, characters of a text and of a number."""
_ALIKE = 24
"""Characters that titles of one thing have in common at their beginning."""
_TAG = re.compile(r"</?[a-zA-Z][^<>]*+>")
_NUMBER = re.compile(r"\d[\d.,'\s]*+")
_POWER = re.compile(r"\d{1,18}(?:\.\d{1,18})?e[+-]?\d{1,2}(?!\w)", re.IGNORECASE)

Thing = dict[str, object]
Node = dict[str, list[object]]


def things(found: dict[str, object], url: str) -> list[Thing]:
    """The things of a page. found: the values of its syntaxes; url: of the page."""
    merged = _Merged()
    for given in found.values():
        if isinstance(given, list):
            merged.add(list(_Reader(given, url).things(given)))
        elif isinstance(given, dict):
            merged.describe(_Reader([], url).thing(given), url)
    return [thing for thing in merged.things if "name" in thing]


class _Merged:
    """The things found so far."""

    def __init__(self) -> None:
        self.things: list[Thing] = []
        self._known: dict[tuple[object, object], Thing] = {}

    def add(self, added: list[Thing]) -> None:
        """Add the things of a syntax."""
        counts = Counter(thing["kind"] for thing in added)
        only = {kind: self._of(kind)[0] for kind in _MAIN if counts[kind] == 1 == len(self._of(kind))}
        for thing in added:
            self._add(thing, only.get(str(thing["kind"])) or self._like(thing))

    def describe(self, thing: Thing, url: str) -> None:
        """Add the record of the page itself."""
        places, name = {_place(thing), _place({"link": url})} - {""}, _folded(thing)
        main = [one for kind in _MAIN[1:] for one in self._of(kind)]
        same = [one for one in main if _place(one) in places or _begin_alike(name, _folded(one))]
        same = same or self._of(str(thing.get("kind")))
        if len(same) == 1:
            self._add(thing, same[0])
        elif not same and "kind" in thing:
            self._add(thing, None)

    def _of(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing["kind"] == kind]

    def _like(self, thing: Thing) -> Thing | None:
        """The same thing, if it is known."""
        place, kind = _place(thing), thing["kind"]
        if place and (known := self._known.get((kind, place))) is not None:
            return known
        known = self._known.get((kind, _folded(thing))) if "name" in thing else None
        return None if known is not None and place and "link" in known else known

    def _add(self, thing: Thing, known: Thing | None) -> None:
        if known is None and len(self.things) == _MOST:
            return
        if known is None:
            self.things.append(known := thing)
        for name, value in thing.items() if known["kind"] != "breadcrumb" else ():
            known.setdefault(name, value)
        for key in (_place(known), _folded(known)):
            self._known.setdefault((known["kind"], key), known)


class _Reader:
    """Reads the nodes of one syntax."""

    def __init__(self, given: list[object], url: str) -> None:
        self._url = url
        self._nodes: dict[int, Node] = {}
        self._by_id: dict[str, dict[str, object]] = {}
        self._aside = set[str]()
        """Ids of nodes that only tell of others, as their authors."""
        pending: list[tuple[str, object]] = [("", given)]
        while pending:
            name, value = pending.pop()
            if isinstance(value, list):
                pending += ((name, each) for each in value)
            elif isinstance(value, dict):
                pending += value.items()
                if isinstance(key := value.get("@id"), str):
                    self._by_id[key] = max(self._by_id.get(key, value), value, key=len)
                    if _local(name) in _ASIDE:
                        self._aside.add(key)

    def things(self, given: list[object]) -> Iterator[Thing]:
        """The records of nodes with a kind, and of those within them."""
        pending: list[tuple[object, int]] = [(value, 0) for value in reversed(given)]
        seen = set[int]()
        while pending and len(seen) < _MOST:
            value, depth = pending.pop()
            node = self._node(value)
            if not node or id(node) in seen or self._aside.intersection(map(str, node.get("@id", ()))):
                continue
            kind = _kind(node)
            if kind is not None and isinstance(value, dict):
                seen.add(id(node))
                yield self.thing(value)
            if kind != "breadcrumb" and depth < _DEEPEST:
                within = [inner for name in _WITHIN for inner in node.pop(name, ())]
                pending += [(inner, depth + 1) for inner in reversed(within)]

    def thing(self, given: dict[str, object]) -> Thing:
        """The record of a node."""
        node = self._node(given)
        kind = _kind(node)
        if kind == "breadcrumb":
            return {"kind": kind} | self._path(node)
        offer = self._inner(node, "offers") or node
        price = self._inner(offer, "priceSpecification") | offer
        rating = self._inner(node, "aggregateRating", "reviewRating")
        answer = self._inner(node, "acceptedAnswer", "suggestedAnswer")
        authors = map(self._as_text, _some(node, "author") or _some(node, "creator"))
        found: Thing = {
            "kind": kind,
            "name": self._text(node, *(("headline", "name") if kind == "article" else ("name", "headline")), "title"),
            "link": self._link(node, "url", "mainEntityOfPage", "@id"),
            "description": self._text(answer, "text") or self._text(node, "description", "abstract"),
            "image": self._link(node, "image", "thumbnailUrl", "logo"),
            "author": ", ".join(dict.fromkeys(name for name in authors if name and not _is_address(name))),
            **{name: self._text(node, *properties) for name, properties in _TEXTS.items()},
            "price": _number(self._text(price, "price", "lowPrice", "amount")),
            "currency": self._text(price, "priceCurrency", "currency"),
            "availability": _local(next(map(self._as_text, _some(offer, "availability")), "")),
            "rating": _number(self._text(rating, "ratingValue")),
            "ratings": _number(self._text(rating, "ratingCount", "reviewCount"), whole=True),
            "location": self._location(node),
        }
        return {name: value for name, value in found.items() if value is not None and value != ""}

    def _path(self, node: Node) -> Thing:
        """The names of a breadcrumb's steps, and the URL of the last one."""
        steps = [step for value in _some(node, "itemListElement") if (step := self._node(value))]
        steps.sort(key=lambda step: _number(self._text(step, "position")) or 0.0)
        names = [self._text(step, "name") or self._text(self._inner(step, "item"), "name", "title") for step in steps]
        found = {"name": " > ".join(filter(None, names)), "link": self._link(steps[-1], "item", "url") if steps else ""}
        return {name: value for name, value in found.items() if value}

    def _location(self, node: Node) -> str:
        """The name and address of a node's place, or of itself."""
        place = self._inner(node, "location") or node
        address = self._inner(place, "address")
        name = self._text(node, "location") if place is node else self._text(place, "name")
        lines = [self._text(address, line) for line in _ADDRESS] if address else [self._text(place, "address")]
        return ", ".join(dict.fromkeys(filter(None, (name, *lines))))

    def _node(self, value: object) -> Node:
        """The node that a value is or refers to: values by local names, name for schema:name and og:name. Empty for
        other values."""
        if not isinstance(value, dict):
            return {}
        key = value.get("@id")
        whole = max(value, self._by_id.get(key, value), key=len) if isinstance(key, str) else value
        if (known := self._nodes.get(id(whole))) is not None:
            return known
        found = self._nodes[id(whole)] = {}
        inner = whole.get("properties")
        for name, values in (*whole.items(), *(inner.items() if isinstance(inner, dict) else ())):
            local = _local(name)
            local = f"@{local}" if local in {"type", "id"} else local
            found.setdefault(local, []).extend(values if isinstance(values, list) else [values])
        return found

    def _inner(self, node: Node, *names: str) -> Node:
        """The first node among the values of properties; else an empty one."""
        return next((inner for name in names for value in _some(node, name) if (inner := self._node(value))), {})

    def _text(self, node: Node, *names: str) -> str:
        """The first text of properties that is no address; "" if there is none."""
        texts = (self._as_text(value) for name in names for value in _some(node, name))
        return next((text for text in texts if text and not _is_address(text)), "")

    def _as_text(self, value: object) -> str:
        """The text of a value; of a node, its name."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if node := self._node(value):
            inner = (one for name in ("@value", "value", "name", "headline", "@id") for one in _some(node, name))
            value = next((one for one in inner if isinstance(one, str)), None)
        if not isinstance(value, str):
            return ""
        return single_spaced(_TAG.sub(" ", html.unescape(value[: 4 * _LONGEST])))[:_LONGEST]

    def _link(self, node: Node, *names: str) -> str:
        """The first URL of properties, of a node its own; made absolute."""
        for name in names:
            for value in _some(node, name):
                inner = self._node(value)
                own = (one for key in ("url", "contentUrl", "value", "@id") for one in _some(inner, key))
                found = next((one for one in own if isinstance(one, str)), None) if inner else value
                url = joined(self._url, found[:_LONGEST]) if isinstance(found, str) and "/" in found else ""
                if url.startswith("http") and not (name == "@id" and "#" in url):
                    return url
        return ""


def _some(node: Node, name: str) -> list[object]:
    """The first values of a property."""
    return node.get(name, [])[:_VALUES]


def _kind(node: Node) -> str | None:
    """The kind of a node by its types."""
    types = (_local(name) for name in _some(node, "@type") if isinstance(name, str))
    return next((match.lastgroup for name in types if (match := _KIND.fullmatch(name))), None)


@lru_cache(maxsize=1024)
def _local(name: str) -> str:
    """The last part of a name: of a URL, or behind a prefix."""
    return re.split("[/#:]", name.rstrip("/#"))[-1]


def _is_address(text: str) -> bool:
    """True for a URL or an account, which is no text for people."""
    return text.startswith(("http://", "https://", "//", "@"))


def _place(thing: Thing) -> str:
    """The URL of a thing without what its spellings differ in."""
    return re.sub(r"^(?:https?:)?//(?:www\.)?|/?(?:#.*)?$", "", str(thing.get("link", "")))


def _folded(thing: Thing) -> str:
    return str(thing.get("name", "")).casefold()


def _begin_alike(one: str, other: str) -> bool:
    """True if titles begin alike, as with and without the name of the site."""
    length = min(len(one), len(other), _ALIKE)
    return length > 0 and one[:length] == other[:length]


def _number(text: str, *, whole: bool = False) -> float | None:
    """The first number of a text, with a comma or a point before decimals; a group of three digits is none of these."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    if power := _POWER.match(text, match.start()):
        number = min(float(power[0]), 10.0**_DIGITS)
        return int(number) if whole else number
    digits = re.sub(r"[\s']", "", match[0])[:_DIGITS].rstrip(".,")
    head, mark, tail = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    is_group = (len(tail) == 3 and head not in {"", "0"}) or mark in head
    head = re.sub("[.,]", "", head)
    number = float(head + tail if is_group else f"{head}.{tail}")
    return int(number) if whole else number
