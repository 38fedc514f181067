"""Quality, speed and size of search.

    python bench/search/web.py bench/search/documentation.tsv FOLDER     # then the crawl that it prints
    python bench/search.py FOLDER/web.db [--held-out 500]

known items  bench/search/*_items.tsv: queries and the pages that they ask for, written before any ranking was seen
held out     texts of links that lead to one page alone; `others`: of links from other sites only
judged       bench/search/*_judged.tsv: queries and graded pages, see README.md there
two words    neighbours in titles: CPU time of a search for ten pages

Of each file counts what the store has. A page counts as found where it or a page that it duplicates stands. The index
is built anew in a copy of the store, so versions of it can be compared. Beside other programs:
`python bench/public/run.py --suite search`.
"""

import argparse
import math
import random
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import minicrawl
from minicrawl.errors import SettingError
from minicrawl.search.following import bring_up_to_date
from minicrawl.store.reader import Store
from minicrawl.web.kept_text import KeptText
from minicrawl.web.urls.keys import site_of

FILES = Path(__file__).parent / "search"
DEEP = 20
"""Places that are looked at; what stands below counts as not found."""
Grades = Mapping[str, int]
Searching = Callable[[str], Sequence[Collection[str]]]
"""A program's search: the URLs of each place, a page and its duplicates."""


class Item(NamedTuple):
    """A query, and the grades of pages by URL: 2 for what it asks for, 1 for what helps."""

    kind: str
    query: str
    grades: Grades


class Page(NamedTuple):
    url: str
    words: KeptText
    links: Collection[str]


def items_of(ending: str, store: Store) -> list[Item]:
    """The queries of the files whose best pages the store has one of."""
    items = []
    for file in sorted(FILES.glob(f"*{ending}.tsv")):
        for line in file.read_text("utf-8").splitlines():
            kind, query, best, *good = line.split("\t") if "judged" in ending else ("known item", *line.split("\t"))
            grades = dict.fromkeys(" ".join(good).split(), 1) | dict.fromkeys(best.split(), 2)
            known = store.page_table.find(list(grades))
            read = {url: grades[url] for url, page in known.items() if store.page_table.turn(page).state == "fetched"}
            if 2 in read.values():
                items.append(Item(kind, query, read))
    return items


# Measures.


def places(found: Sequence[Collection[str]], grades: Grades) -> list[int]:
    """The grade at each place; a judged page counts once."""
    left = dict(grades)
    return [max((left.pop(url) for url in urls if url in left), default=0) for urls in found]


def reciprocal(grades: Sequence[int]) -> float:
    """1 / the first place of a page that the query asks for."""
    return next((1 / place for place, grade in enumerate(grades, 1) if grade == 2), 0.0)


def ndcg(grades: Sequence[int], judged: Grades) -> float:
    """sum (2^grade - 1) / log2(place + 1) over ten places, over the most that is possible."""

    def gain(some: Sequence[int]) -> float:
        return sum((2.0**grade - 1) / math.log2(place + 1) for place, grade in enumerate(some[:10], 1))

    return gain(grades) / gain(sorted(judged.values(), reverse=True))


class Quality(NamedTuple):
    """mrr: mean of `reciprocal`; first, in_ten: shares of items found there; gain: mean nDCG@10."""

    mrr: float
    first: float
    in_ten: float
    gain: float


def quality(found: Sequence[Sequence[Collection[str]]], items: Sequence[Item]) -> Quality:
    """The quality of what was found for each item: the URLs of each place."""
    graded = [places(urls, item.grades) for urls, item in zip(found, items, strict=True)]
    ranks = [reciprocal(grades) for grades in graded]
    gains = [ndcg(grades, item.grades) for grades, item in zip(graded, items, strict=True)]
    first, in_ten = (sum(rank >= least for rank in ranks) / len(ranks) for least in (1, 0.1))
    return Quality(sum(ranks) / len(ranks), first, in_ten, sum(gains) / len(gains))


def line_of(search: Searching, items: Sequence[Item]) -> str:
    mrr, first, in_ten, gain = quality([search(item.query) for item in items], items)
    text = f"MRR {mrr:.3f}  first {first:.2f}  in ten {in_ten:.3f}"
    text += f"  nDCG@10 {gain:.3f}" if any(1 in item.grades.values() for item in items) else ""
    return f"{text}  ({len(items)})"


def latency(search: Searching, queries: Sequence[str]) -> str:
    seconds = []
    for query in queries:
        started = time.process_time()
        search(query)
        seconds.append(time.process_time() - started)
    seconds.sort()
    return f"p50 {seconds[len(seconds) // 2] * 1e3:.1f} ms  p99 {seconds[int(len(seconds) * 0.99)] * 1e3:.1f} ms"


def two_words(pages: Mapping[int, Page], n: int) -> list[str]:
    """Pairs of neighbours in titles, by chance."""
    titles = [words for _, page in sorted(pages.items()) if len(words := (page.words.title or "").split()) > 1]
    draw = random.Random(21)
    pairs: list[str] = []
    while len(pairs) < n:
        words = draw.choice(titles)
        at = draw.randrange(len(words) - 1)
        if all(any(char.isalnum() for char in word) for word in words[at : at + 2]):
            pairs.append(" ".join(words[at : at + 2]))
    return pairs


# What the store has.


def pages_of(store: Store) -> dict[int, Page]:
    """The pages that a search may show, with the texts of links to them, each once."""
    words: dict[int, KeptText] = {}
    for (page,) in store.rows("SELECT page FROM texts JOIN pages ON pages.id = page WHERE state = 'fetched'"):
        kept = store.texts.text(page, store.page_table.url(page))
        if kept is not None:
            words[page] = kept
    urls = store.page_table.urls_of(words)
    targets = targets_of(store, words.values())
    links: dict[int, dict[str, None]] = defaultdict(dict)
    for source, of_page in words.items():
        for url, text, *_ in of_page.anchors():
            if (target := targets.get(url, source)) != source:
                links[target][text] = None
    return {page: Page(urls[page], of_page, links[page]) for page, of_page in words.items() if of_page.index}


def targets_of(store: Store, texts: Iterable[KeptText]) -> dict[str, int]:
    """The pages that links lead to, by URL; of an alias the one that it stands for."""
    known = store.page_table.find(list({url for text in texts for url, *_ in text.anchors()}))
    aliases = {alias: page for page in set(known.values()) for alias in store.link_table.aliases_of(page)}
    return {url: aliases.get(page, page) for url, page in known.items()}


def held_out(store: Store, pages: Mapping[int, Page], n: int, *, other_sites: bool) -> list[Item]:
    """Texts of two to six words that lead to one read page alone, n of them by chance."""
    known = targets_of(store, (page.words for page in pages.values()))
    targets: dict[str, set[int]] = defaultdict(set)
    texts: list[tuple[str, int]] = []
    sites = {page: site_of(pages[page].url) for page in pages}
    for source, page in pages.items():
        for url, text, *_ in page.words.anchors():
            if (target := known.get(url, source)) == source:
                continue
            targets[text.lower()].add(target)
            is_fit = target in pages and 2 <= len(text.split()) <= 6 and not text.startswith("http")
            if is_fit and not (other_sites and sites[target] == sites[source]):
                texts.append((text, target))
    alone = sorted({(text, target) for text, target in texts if len(targets[text.lower()]) == 1})
    random.Random(20).shuffle(alone)
    return [Item("held out", text, {pages[target].url: 2}) for text, target in alone[:n]]


def duplicates_of(store: Store, pages: Mapping[int, Page]) -> dict[str, list[str]]:
    """By URL, a page and those that duplicate it or the same page."""
    groups: dict[int, list[str]] = defaultdict(list)
    query = "SELECT pages.id, coalesce(leader, pages.id) FROM pages LEFT JOIN fetches ON fetches.id = fetch"
    leaders = dict(store.rows(query))
    for page in pages:
        groups[leaders[page]].append(pages[page].url)
    return {url: group for group in groups.values() for url in group}


# Programs.


def build(path: Path) -> tuple[float, float, int]:
    """Build the index of a store anew: CPU ms and bytes a page, and pages."""
    started = time.process_time()
    with minicrawl.open_store(path) as store:
        _, pages, size = bring_up_to_date(store, rebuild=True)
    seconds = time.process_time() - started
    if not pages:
        raise SystemExit(f"{path} has no texts: none of its pages could be read; see 'minicrawl status --store {path}'")
    return seconds / pages * 1e3, size / pages, pages


def ours(store: "minicrawl.SearchedStore | minicrawl.SearchedFolder") -> Searching:
    def search(query: str) -> list[Collection[str]]:
        try:
            return [(page.url, *page.alike) for page in store.search(query, DEEP)]
        except SettingError:
            return []

    return search


class Texts(NamedTuple):
    """The fields of a page as other programs get them."""

    url: str
    title: str
    links: str
    headings: str
    path: str
    text: str


def texts_of(pages: Mapping[int, Page], without: Collection[str]) -> Iterator[Texts]:
    for url, words, links in pages.values():
        said = " . ".join(text for text in links if text.lower() not in without)
        yield Texts(
            url,
            words.title or "",
            said,
            " . ".join(words.headings),
            re.sub(r"\W+", " ", url.partition("://")[2]),
            words.content_text,
        )


def copy(store: Path, folder: Path) -> Path:
    """Copy a store without its index."""
    for part in store.parent.glob(f"{store.name}*"):
        if part.is_file() and ".search" not in part.name and not part.name.endswith("lock"):
            shutil.copyfile(part, folder / part.name)
    return folder / store.name


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--held-out", type=int, default=500, help="how many texts of links are held out, of each sort")
    parser.add_argument("--kinds", action="store_true", help="print the judged queries by kind, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = copy(given.store, Path(folder))
        print("index  {:.2f} ms and {:,.0f} bytes a page ({:,})".format(*build(path)), flush=True)
        with minicrawl.open_store(path) as store:
            known, judged = items_of("_items", store), items_of("_judged", store)
            pages = pages_of(store)
            held = {kind: held_out(store, pages, given.held_out, other_sites=kind == "others")
                    for kind in ("any", "others")}  # fmt: skip
            pairs = two_words(pages, 400)
        with minicrawl.open_store(path) as store:
            search = ours(store)
            print(f"two words           {latency(search, pairs)}")
            for what, items in (("known items", known), ("judged", judged)):
                if items:
                    print(f"{what:19} {line_of(search, items)}", flush=True)
            if given.kinds:
                for kind in Counter(item.kind for item in judged):
                    print(f"  {kind:17} {line_of(search, [item for item in judged if item.kind == kind])}")
            for kind, items in held.items():
                if items:
                    print(f"held out, {kind:9} {line_of(search, items)}", flush=True)


if __name__ == "__main__":
    main()
