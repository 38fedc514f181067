"""Quality of search: pages that queries ask for, found by minicrawl and by search libraries.

Pages that queries ask for, in the results of programs that all get the same pages of one crawl. Known items: queries
that somebody wrote with one page in mind. Texts of links: those that lead to one page alone and were taken out of
what the others index.

- MRR is the mean of 1 / place, nDCG@10 discounts by the logarithm of the place; what stands below the 20th place
  counts as not found. A page counts as found where a page with the same content stands.
- The others get titles, texts of links, headings, paths and texts as fields of their own (bm25s: as one) and run with
  their defaults and an English stemmer. They do not know the importance of pages, which minicrawl has from its crawl.
- Queries were written from the subjects of the pages before any ranking of them was seen. No weight was learned on
  either web. Judgements are of one person; differences below .02 say little.
- minicrawl's queries make snippets, too; its index is on disk, those of FTS5, tantivy and bm25s are in memory.
- The second web needs Debian 12 with nginx and openssl ([bench/search](../bench/search/README.md)).
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import search as measures
from public.bench import Bench, Crawler, Suite, measured, ours, tables
from public.peers import Peer, UnavailableError, run
from public.results import OURS, PEER, Column, Row, Table
from public.webs import PACKAGES, Web, documentation, generated
from search import Item

import minicrawl

_PEERS = (
    Peer("tantivy", "PyPI", ("tantivy>=0.22,<1",), "MIT"),
    Peer("bm25s", "PyPI", ("bm25s>=0.2,<1", "PyStemmer>=2.2,<4"), "MIT; BSD-3-Clause"),
    Peer("SQLite FTS5", "Python", ("sqlite3",), "public domain"),
    Peer("Whoosh", "PyPI", ("whoosh-reloaded>=2.7,<3",), "BSD-2-Clause"),
)
_HELD_OUT = 300
_TSV = measures.FILES / "unseen.tsv"
_COLUMNS = (
    Column("known items: MRR", "more", 3),
    Column("nDCG@10", "more", 3),
    Column("in the first ten, %", "more", 0),
    Column("texts of links: MRR", "more", 3),
    Column("nDCG@10", "more", 3),
    Column("in the first ten, %", "more", 0),
    Column("a query, CPU ms", "less", 1),
    Column("index, CPU ms a page", "less", 2),
)


def _debian(bench: Bench, store: str) -> None:
    """Build the web of 57 documentation sites that search was not tuned on, and crawl it. Raises UnavailableError."""
    for program in ("apt-get", "dpkg-deb", "nginx", "openssl"):
        if shutil.which(program) is None:
            raise UnavailableError(f"{program} is not installed")
    folder = bench.cache / "debian-web"
    run([sys.executable, str(_TSV.with_name("web.py")), str(_TSV), str(folder)])
    try:
        options = (folder / "crawl.txt").read_text().split()
        measured(ours("crawl", str(folder / "seeds.txt"), *options, "--quiet", "--store", store))
    finally:
        os.kill(int((folder / "nginx.pid").read_text()), signal.SIGTERM)


def _run(bench: Bench) -> Iterator[Table]:
    def crawl(make: Callable[[], Web], store: str) -> None:
        words = ours("crawl", "{seeds}", "--search", "--quiet", "--delay", "0", "--deny", "^https:", "--store", store)
        bench.crawl(Crawler("", "", "", words), make())

    webs: dict[str, Callable[[str], None]] = {
        "Documentation of eric and pygame": partial(crawl, lambda: documentation(PACKAGES, bench.cache)),
        "Documentation of 57 sites in Debian": partial(_debian, bench),
    }
    if bench.is_quick:
        webs = {"Two generated sites": partial(crawl, lambda: generated(0, 2, 100))}
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, build) in enumerate(webs.items()):
            store = f"{folder}/{number}.db"
            yield from tables({title: partial(build, store)}, lambda title, _: _table(bench, title, Path(store)))  # noqa: B023 - called at once


class Answers(NamedTuple):
    """What a program found for each query: the URLs of each place. searching: CPU s; indexing: CPU ms a page."""

    found: Sequence[Sequence[Collection[str]]]
    searching: float
    indexing: float


def _ours(path: Path, items: Sequence[Item]) -> Answers:
    indexing, _, _ = measures.build(path)
    started = time.process_time()
    with minicrawl.open_store(path) as store:
        search = measures.ours(store)
        return Answers([search(item.query) for item in items], time.process_time() - started, indexing)


def _table(bench: Bench, title: str, path: Path) -> Table:
    with minicrawl.open_store(path) as store:
        known = measures.items_of("_items", store)
        pages = measures.pages_of(store)
        alike = measures.duplicates_of(store, pages)
        held = measures.held_out(store, pages, _HELD_OUT, other_sites=False)

    def theirs(name: str, items: Sequence[Item], without: Collection[str]) -> Answers | None:
        texts = list(measures.texts_of(pages, without))
        queries = [item.query for item in items]
        question = {"pages": [text[1:] for text in texts], "queries": queries, "deep": measures.DEEP}
        if (answer := bench.ask(name, "search", question)) is None:
            return None
        found = [[alike[texts[row].url] for row in rows] for rows in answer["found"]]
        return Answers(found, answer["searching"], 1e3 * answer["indexing"] / len(pages))

    sets = ((known, frozenset[str]()), (held, frozenset(item.query.lower() for item in held)))
    rows = []
    for name in ("minicrawl", *bench.installed):
        is_ours = name == "minicrawl"
        of = [_ours(path, one[0]) if is_ours else theirs(name, *one) for one in sets]
        whole, reduced = of
        if whole is None or reduced is None:
            continue
        figures: list[Sequence[float]] = []
        for answers, items in ((whole, known), (reduced, held)):
            quality = measures.quality(answers.found, items) if items else None
            figures += [[quality.mrr], [quality.gain], [100.0 * quality.in_ten]] if quality else [(), (), ()]
        query = 1e3 * (whole.searching + reduced.searching) / (len(known) + len(held))
        rows.append(Row.of(name, OURS if is_ours else PEER, *figures, [query], [whole.indexing]))
    note = f"{len(pages):,} pages with text, {len(known)} known items, {len(held)} texts of links."
    return Table(title, _COLUMNS, rows, note)


SUITE = Suite("search", "Search", __doc__, _PEERS, _run)
