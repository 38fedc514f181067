"""Mirrored hosts, against webs of which the mirrors are known."""

import itertools
import random
from zlib import crc32

import networkx
import numpy as np
import pytest

from minicrawl.rank.mirrors import mirrors
from minicrawl.web.fingerprint import identity_of, sketch_of

PAGES = 40


SYLLABLES = ("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "ve", "xi")
WORDS = ["".join(word) for word in itertools.product(SYLLABLES, repeat=3)]
Pairs = set[frozenset[str]]


class Web:
    """Some 135 hosts, most small. `pages`: HTML by URL; `mirrored`: pairs of origins that mirror each other.

    What is no mirror: sites of one template, manuals of two versions of one package, default pages of servers, parked
    domains, and sites that have nothing to do with each other.
    """

    def __init__(self, seed: int) -> None:
        draw = self.draw = random.Random(seed)
        self.pages: dict[str, str] = {}
        self.mirrored: Pairs = set()
        for number in range(30):
            self.host(f"https://alone{number}.test", self.contents(), self.words(20, 200))
        template, shared = self.words(20, 200), self.contents(25)
        for number in range(20):
            paths = draw.sample(list(shared), draw.randrange(8, 25))
            self.host(f"https://template{number}.test", {path: self.words() for path in paths}, template)
        default = {"": self.words()}
        parked = {path: self.words(40, 41) for path in ("", "buy", "privacy", "terms", "contact", "offer")}
        for number in range(10):
            self.host(f"https://default{number}.test", default, [], name="it")
            self.host(f"https://parked{number}.test", parked, template * 3)
        for number in range(8):
            self.versions(number)
        for number in range(20):
            self.mirrors(number, ("same", "names", "frame", "part", "more", "www", "http")[number % 7])

    def words(self, least: int = 50, most: int = 600) -> list[str]:
        return self.draw.choices(WORDS, [1 / (at + 5) for at in range(len(WORDS))], k=self.draw.randrange(least, most))

    def contents(self, size: int = 0) -> dict[str, list[str]]:
        """By path: a front page, one that every host has, and others in folders."""
        draw = self.draw
        size = size or (draw.randrange(150, 400) if draw.random() < 0.06 else draw.randrange(6, 40))
        names = ("".join(draw.choices(WORDS, k=2)) for _ in range(size))
        paths = ["", "about", *(f"{draw.choice('abc')}/{name}.html" for name in names)]
        return {path: self.words() for path in paths[:size]}

    def host(self, origin: str, contents: dict[str, list[str]], frame: list[str], name: str = "") -> None:
        """name: what it is called in its text here and there."""
        name, half = name or origin.partition("://")[2], len(frame) // 2
        for path, content in contents.items():
            said = " ".join(f"{word} {name}" if at % 80 == 40 else word for at, word in enumerate(content))
            html = f"<title>{path} - {name}</title><nav>{' '.join(frame[:half])}</nav><p>{said}</p>"
            self.pages[f"{origin}/{path}"] = f"{html}<footer>{' '.join(frame[half:])}</footer>"

    def versions(self, number: int) -> None:
        """Two versions of a manual: most paths are in both, and some of these say the same."""
        draw, frame, old = self.draw, self.words(20, 200), self.contents()
        new, unchanged = {}, draw.uniform(0.1, 0.5)
        for path, content in old.items():
            if draw.random() < 0.8:
                kept = len(content) if draw.random() < unchanged else int(draw.uniform(0.0, 0.8) * len(content))
                new[path] = [*content[:kept], *self.words()[: len(content) - kept]]
        self.host(f"https://v1.manual{number}.test", old, frame)
        self.host(f"https://v2.manual{number}.test", new | self.contents(len(old) // 4 + 1), frame)

    def mirrors(self, number: int, way: str) -> None:
        """A host and its mirrors."""
        frame, contents, name = self.words(20, 200), self.contents(), "it" if way in ("same", "www", "http") else ""
        some = dict(self.draw.sample(list(contents.items()), max(int(0.6 * len(contents)), 5)))
        carried = {"part": some, "more": self.contents(len(contents) - len(some) + 1) | some}.get(way, contents)
        twin = {"www": f"https://www.original{number}.test", "http": f"http://original{number}.test"}
        others = [twin.get(way, f"https://mirror{number}-{each}.test") for each in range(12 if number == 0 else 1)]
        origins = [f"https://original{number}.test", *others]
        self.host(origins[0], contents, frame, name)
        for other in others:
            self.host(other, carried, self.words(20, 200) if way == "frame" else frame, name)
        self.mirrored |= set(map(frozenset, itertools.combinations(origins, 2)))


def told(pages: dict[str, str]) -> Pairs:
    """All pairs of hosts that hang together by the mirrors found."""
    names: dict[str, int] = {}
    rows = []
    for url, html in pages.items():
        path = url.split("/", 3)[3]
        identity = identity_of(html.encode(), url)
        sketch = np.frombuffer(identity.sketch or bytes(40), np.uint64)
        host = names.setdefault(url[: -len(path) - 1], len(names))
        rows.append((host, crc32(path.encode()), identity.payload or 0, sketch))
    a, b, *_ = mirrors(*(np.array(column) for column in zip(*rows, strict=True)))
    graph = networkx.Graph(list(zip(a.tolist(), b.tolist(), strict=True)))
    origins = list(names)
    groups = networkx.connected_components(graph)
    return {frozenset((origins[a], origins[b])) for group in groups for a, b in itertools.combinations(group, 2)}


def share(of: Pairs, among: Pairs) -> float:
    """The share of the hosts in pairs that are in some pair of both."""
    return len(frozenset().union(*(of & among))) / len(frozenset().union(*of))


@pytest.mark.parametrize("seed", [101, 102])
def test_mirrors_are_found_and_sites_made_alike_are_not(seed: int) -> None:
    web = Web(seed)
    found = told(web.pages)
    assert (share(found, web.mirrored) >= 0.95, share(web.mirrored, found) >= 0.95) == (True, True)
    found = told({url: html for url, html in web.pages.items() if web.draw.random() < 0.7})
    assert (share(found, web.mirrored) >= 0.9, share(web.mirrored, found) >= 0.8) == (True, True)


def sketch_of_parts(*parts: int) -> np.ndarray:
    """The sketch of a page of some parts, each of 100 runs of words that its number draws."""
    runs = [np.random.default_rng(part).integers(2**32, size=100, dtype=np.uint32) for part in parts]
    return np.frombuffer(sketch_of(np.concatenate(runs)) or b"", np.uint64)


@pytest.mark.parametrize("own", [0, 1, 4])
@pytest.mark.parametrize("common", [0, 2, 4])
@pytest.mark.parametrize("shared", [10, 9, 6])
def test_share_of_content_is_told_whatever_the_frames(own: int, common: int, shared: int) -> None:
    """Pages of 10 parts of content, of which `shared` are on both hosts, with parts of a frame on one host or both."""
    number = itertools.count()
    both = [next(number) for _ in range(common)]
    frames = [[next(number) for _ in range(own)] for _ in range(2)]
    sketches: list[list[np.ndarray]] = [[], []]
    for _ in range(PAGES):
        carried = [next(number) for _ in range(shared)]
        for host in range(2):
            content = [*carried, *(next(number) for _ in range(10 - shared))]
            sketches[host].append(sketch_of_parts(*content, *frames[host], *both))
    rows = np.arange(2 * PAGES)
    a, b, compared, alike = mirrors(rows // PAGES, rows % PAGES, rows, np.array([*sketches[0], *sketches[1]]))
    x = shared / (20 - shared) * 2 / (1 + shared / (20 - shared))
    assert x == pytest.approx(shared / 10)
    if shared == 6:
        assert not len(a)
    else:
        assert (a.tolist(), b.tolist(), compared.tolist()) == ([0], [1], [PAGES])
        assert alike[0] == pytest.approx(shared / 10, abs=0.06)


@pytest.mark.parametrize(("others", "is_mirror"), [(9, True), (10, False)])
def test_mirrors_share_two_fifths_of_the_paths_of_the_host_with_fewer_pages(others: int, is_mirror: bool) -> None:
    """Host 0 has 30 pages, host 1 six of these and some others."""
    host = np.array([0] * 30 + [1] * (6 + others))
    path = np.array([*range(30), *range(6), *range(50, 50 + others)])
    sketch = np.array([sketch_of_parts(number) for number in path.tolist()])
    assert mirrors(host, path, path, sketch)[2].tolist() == [6] * is_mirror


def test_without_pages_there_are_no_mirrors() -> None:
    none = np.zeros(0, np.int64)
    assert not len(mirrors(none, none, none, np.zeros((0, 5), np.uint64))[0])


def test_short_pages_without_a_sketch_are_alike_only_by_their_bytes() -> None:
    host, path, rows = np.repeat([0, 1], 9), np.tile(np.arange(9), 2), np.arange(18)
    nothing = np.zeros((18, 5), np.uint64)
    assert not len(mirrors(host, path, rows, nothing)[0])
    assert mirrors(host, path, path, nothing)[3].tolist() == [1.0]
