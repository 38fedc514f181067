"""A web of hosts of which some mirror others: which do is known."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.html.fingerprint import hash_of, identity_of
from minicrawl.rank.mirrors import IntArray, Mirrors, mirrors

Body = list[str]
_SYLLABLES = ("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "ve", "xi")
WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]


@dataclass
class MirroredWeb:
    """pages: HTML by URL. mirrored: pairs of origins that mirror one another. kinds: of each origin."""

    pages: dict[str, str] = field(default_factory=dict)
    mirrored: set[frozenset[str]] = field(default_factory=set)
    kinds: dict[str, str] = field(default_factory=dict)

    def precision(self, found: set[frozenset[str]]) -> float:
        """The share of the hosts that were told to mirror another which do, each by a host told with it."""
        return self._share(found, self.mirrored)

    def recall(self, found: set[frozenset[str]]) -> float:
        """The share of the hosts that mirror another which were told with one of these."""
        return self._share(self.mirrored, found)

    def _share(self, of: set[frozenset[str]], among: set[frozenset[str]]) -> float:
        hosts = frozenset[str]().union(*of)
        return len(hosts & frozenset[str]().union(*(of & among))) / max(len(hosts), 1)


class PageColumns(NamedTuple):
    """Pages as `mirrors` takes them, and the names of hosts by number."""

    host: IntArray
    path: IntArray
    payload: IntArray
    sketch: "np.typing.NDArray[np.uint64]"
    names: list[str]

    def mirrors(self, read: IntArray) -> Mirrors:
        """The pairs found where some pages were read."""
        return mirrors(self.host[read], self.path[read], self.payload[read], self.sketch[read])

    def groups(self, found: Mirrors) -> set[frozenset[str]]:
        """All pairs of hosts that hang together by the pairs found."""
        groups = {number: {number} for number in range(len(self.names))}
        for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True):
            if groups[a] is not groups[b]:
                groups[a] |= groups[b]
                groups |= dict.fromkeys(groups[b], groups[a])
        pairs = ((self.names[a], self.names[b]) for a, group in groups.items() for b in group if a < b)
        return set(map(frozenset, pairs))


def columns_of(pages: dict[str, str]) -> PageColumns:
    names: dict[str, int] = {}
    rows = []
    for url, html in pages.items():
        path = url.split("/", 3)[3]
        identity = identity_of(html.encode(), url)
        sketch = np.frombuffer(identity.sketch or bytes(40), np.uint64)
        host = names.setdefault(url[: -len(path) - 1], len(names))
        rows.append((host, hash_of(path.encode()), identity.payload or 0, sketch))
    hosts, paths, payloads, sketches = (np.array(column) for column in zip(*rows, strict=True))
    return PageColumns(hosts, paths, payloads, sketches, list(names))


class _Maker:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.web = MirroredWeb()
        weights = [1 / (rank + 5) for rank in range(len(WORDS))]
        self.words: Callable[[int], Body] = lambda count: self.draw.choices(WORDS, weights, k=count)

    def content(self) -> Body:
        return self.words(min(int(self.draw.lognormvariate(5.5, 0.7)) + 50, 2_000))

    def contents(self, size: int) -> dict[str, Body]:
        """By path: a front page, one that every host has, and others in folders."""
        draw = self.draw
        names = ["".join(draw.choices(WORDS, k=2)) for _ in range(size)]
        paths = ["", "about", *(f"{draw.choice('abc')}/{name}.html" for name in names)]
        return {path: self.content() for path in paths[: max(size, 1)]}

    def frame(self) -> Body:
        return self.words(self.draw.randrange(20, 200))

    def host(self, origin: str, kind: str, contents: dict[str, Body], frame: Body, own_name: bool = True) -> str:
        """A host. own_name: its name is in the text here and there."""
        self.web.kinds[origin] = kind
        name = origin.partition("://")[2] if own_name else "it"
        half = len(frame) // 2
        for path, content in contents.items():
            said = list(content)
            for at in range(40, len(said), 120):
                said.insert(at, name)
            html = f"<title>{path} - {name}</title><nav>{' '.join(frame[:half])}</nav><p>{' '.join(said)}</p>"
            self.web.pages[f"{origin}/{path}"] = f"{html}<footer>{' '.join(frame[half:])}</footer>"
        return origin

    def mirrored(self, *origins: str) -> None:
        self.web.mirrored |= {frozenset((a, b)) for a in origins for b in origins if a < b}

    def names(self, kind: str) -> Iterator[str]:
        number = 0
        while True:
            yield f"https://{kind}{number}-{self.draw.choice(WORDS)}.test"
            number += 1


def mirrored_web(seed: int) -> MirroredWeb:
    """Some 150 hosts, most small, some large. What is no mirror: sites of one template, manuals of two versions of one
    package, default pages of servers, parked domains, and sites that have nothing to do with each other."""
    maker = _Maker(seed)
    draw = maker.draw

    def size() -> int:
        return draw.randrange(150, 400) if draw.random() < 0.06 else draw.randrange(6, 40)

    for origin, _ in zip(maker.names("alone"), range(30), strict=False):
        maker.host(origin, "alone", maker.contents(size()), maker.frame())
    template, shared = maker.frame(), maker.contents(25)
    for origin, _ in zip(maker.names("template"), range(20), strict=False):
        paths = draw.sample(list(shared), draw.randrange(8, 25))
        maker.host(origin, "template", {path: maker.content() for path in paths}, template)
    for number in range(8):
        _versions(maker, number, size())
    page, names = maker.content(), ("", "buy", "privacy", "terms", "contact", "offer")
    parked = {path: maker.words(40) for path in names}
    for origin, _ in zip(maker.names("default"), range(10), strict=False):
        maker.host(origin, "default", {"": page}, [], own_name=False)
    for origin, _ in zip(maker.names("parked"), range(10), strict=False):
        maker.host(origin, "parked", parked, template * 3)
    for number in range(20):
        _mirrors(maker, number, size())
    return maker.web


def _versions(maker: _Maker, number: int, size: int) -> None:
    """Two versions of a manual: most paths are in both, and some of these say the same."""
    draw, frame, old = maker.draw, maker.frame(), maker.contents(size)
    new, unchanged = {}, draw.uniform(0.1, 0.5)
    for path, content in old.items():
        if draw.random() < 0.8:
            share = 1.0 if draw.random() < unchanged else draw.uniform(0.0, 0.8)
            kept = int(share * len(content))
            new[path] = [*content[:kept], *maker.words(len(content) - kept)]
    maker.host(f"https://v1.manual{number}.test", "version", old, frame)
    maker.host(f"https://v2.manual{number}.test", "version", new | maker.contents(size // 4), frame)


def _mirrors(maker: _Maker, number: int, size: int) -> None:
    """A host and its mirrors, of one of seven ways."""
    draw, frame, contents = maker.draw, maker.frame(), maker.contents(size)
    original = f"https://original{number}.test"
    way = ("same", "names", "frame", "part", "more", "www", "http")[number % 7]
    twin = {"www": f"https://www.original{number}.test", "http": f"http://original{number}.test"}
    others = [twin.get(way, f"https://mirror{number}-{way}.test")]
    if number == 0:
        others = [f"https://mirror{number}-{each}.test" for each in range(12)]
    own_name = way not in ("same", "www", "http")
    maker.host(original, "original", contents, frame, own_name)
    for other in others:
        carried, around = contents, frame
        if way in ("part", "more"):
            some = draw.sample(list(contents), max(int(0.6 * len(contents)), 5))
            carried = {path: contents[path] for path in some}
        if way == "more":
            carried = maker.contents(max(len(contents) - len(carried), 1)) | carried
        if way == "frame":
            around = maker.frame()
        maker.host(other, way, carried, around, own_name)
    maker.mirrored(original, *others)
