"""Options of a ranking, its outcome, and the pages, jumps and weights of links that a user names.

Links within a host or site are self-praise, many from one collusion.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minicrawl.analysis.link_graph import FoldedPages, FoldedStore
from minicrawl.analysis.page_links import numbered_sites
from minicrawl.analysis.sites import DIVISIONS
from minicrawl.crawler.admission.seeds import read_seeds
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank.hits import capped_weights, intrinsic_weights
from minicrawl.setting import compiled, parse_duration
from minicrawl.settings import option
from minicrawl.store.reader import Store
from minicrawl.web.urls.normalise import normalise

Found = tuple[dict[str, FloatArray], tuple[str, ...]]
"""The outcome of a ranking: values per page, by the name of the ranking; and notes, a sentence each."""


@dataclass(frozen=True)
class Options:
    """Options of a ranking; each ranking uses some of these.

    memory: compute on disk, in this much memory. method: one of METHODS. jump: the jump distribution. trusted, root:
    FILE, URL or REGEX; topic: the same with NAME= before. per: "page", "host" or "site"; links within one weigh
    `inside`, None: 0. cap: most links of one to a page that count; None: all. PageRank knows no hosts unless one of the
    three is given. context: weigh links by query words near them. self_links: count every page as linked to itself.
    log: access logs. site: a URL of the host that they are of. blend: weight of visits beside importance; None: 1.
    communities: their number, found by `peel` or by singular vectors; None: hubs and authorities of the whole graph.
    """

    damping: float = 0.85
    memory: str | None = None
    method: str = "power"
    jump: str | None = None
    trusted: str | None = None
    trusted_count: int = 50
    topic: tuple[str, ...] = ()
    weights: str | None = None
    query: str | None = None
    root: str | None = None
    per: str | None = None
    inside: float | None = None
    cap: int | None = None
    context: bool = False
    self_links: bool = False
    communities: int | None = None
    peel: bool = False
    log: tuple[str, ...] = ()
    site: str | None = None
    blend: float | None = None


def site_weights(options: Options, store: Store, folded: FoldedStore) -> FloatArray:
    """Weights by --per, --inside, --cap and the crawl's surfer, shape (links,). Raises SettingError."""
    graph = folded.graph
    places = np.arange(graph.size)
    if options.per != "page":
        _, places = numbered_sites(store, folded.hosts, DIVISIONS[options.per or "host"])
    elif options.cap is not None or options.inside:
        raise SettingError("--cap and --inside are for links of a host or site; give --per host or --per site")
    weights = intrinsic_weights(graph, places, options.inside or 0.0)
    by_place = folded.weights(REASONABLE)
    weights *= 1.0 if by_place is None else by_place
    if options.cap is not None:
        weights *= capped_weights(graph, places, options.cap)
    return weights


_RECENT = "recent:"
_WORD = re.compile(r"[^\W_]+")


def jump_of(given: str | None, store: Store, folded: FoldedPages) -> FloatArray:
    """The jump distribution of --jump FILE or recent:TIME; None: the crawl's. Raises SettingError."""
    if given is None:
        return folded.jump
    if given.startswith(_RECENT):
        half_life = parse_duration(given.removeprefix(_RECENT))
        if not half_life > 0:
            raise SettingError(f"--jump {given}: no page is that new; give a time such as 30d")
        return recent_jump(half_life, store, folded)
    return _of_file(given, store, folded)


def recent_jump(half_life: float, store: Store, folded: FoldedPages) -> FloatArray:
    """A jump distribution by recency: half as many jumps for each `half_life` seconds since a page changed.

        jump[page] = 2 ** -((newest - changed[page]) / half_life)

    changed: time of the last change seen by the crawl, else of the last fetch. Pages that were never fetched get 0.
    newest: of all pages, so that the values do not depend on the time of day.
    """
    changed = np.full(folded.size, -np.inf)
    for number, page in enumerate(store.ranks.numbered()):
        if page.fetched_at is not None:
            changed[number] = page.fetched_at
    for number, at in store.rows("SELECT page, changed_at FROM refresh WHERE changed_at IS NOT NULL"):
        changed[number] = at
    newness = np.exp2((changed - changed.max()) / half_life)
    jump: FloatArray = np.zeros(folded.size)
    np.add.at(jump, folded.stands_for, newness)
    jump[folded.jump == 0] = 0.0
    return jump


def _of_file(given: str, store: Store, folded: FoldedPages) -> FloatArray:
    """Read a file with a URL and an optional weight per line; pages unknown to the crawl are left out."""
    if not Path(given).is_file():
        raise SettingError(f"--jump takes a file of URLs with weights, or recent:TIME; there is no file {given!r}")
    weights: dict[str, float] = {}
    for number, line in enumerate(Path(given).read_text("utf-8", "replace").splitlines(), start=1):
        url, *weight = line.split()[:2] or [""]
        if not url or url.startswith("#"):
            continue
        try:
            value = float(weight[0]) if weight else 1.0
        except ValueError:
            value = -1.0
        if not 0.0 <= value < np.inf:
            raise SettingError(f"{given}, line {number}: a weight is a number of at least 0, not {weight[0]!r}")
        weights[normalise(url) or url] = value
    jump = np.zeros(folded.size)
    for url, page in store.page_table.find(list(weights)).items():
        jump[folded.stands_for[page]] += weights[url]
    if not jump.any():
        raise SettingError(f"--jump: {store.path} knows no page of {given} with a weight above 0")
    return jump


def named_pages(given: str, by: str, store: Store, folded: FoldedPages) -> IntArray:
    """The pages named by FILE, URL or REGEX, aliases resolved.

    by: the option that gives them, such as "trusted". Raises SettingError.
    """
    if Path(given).is_file():
        pages = list(store.page_table.find(read_seeds([given])).values())
        if not pages:
            raise SettingError(f"{option(by)}: no page of {given} is known in {store.path}")
    else:
        pages = list(store.page_table.find([normalise(given) or given]).values())
        if not pages:
            pattern = compiled(given, by)
            pages = [number for number, url in enumerate(store.page_table.urls()) if pattern.search(url)]
        if not pages:
            raise SettingError(f"{option(by)} {given!r} is not a file, and matches no URL in {store.path}")
    return np.unique(folded.stands_for[pages])


def pages_with_words(query: str, most: int, store: Store, folded: FoldedPages) -> IntArray:
    """The most important pages with all words of a query in URL or title. Raises SettingError."""
    words = _folded(query).split()
    if not words:
        raise SettingError("--query needs words")
    found: list[tuple[int, int]] = []
    for number, page in enumerate(store.ranks.numbered()):
        text = _folded(f"{page.url} {page.title or ''}")
        if all(word in text for word in words):
            found.append((page.rank, number))
    if not found:
        raise SettingError(f"no page has {query!r} in its URL or title; give other words")
    return np.unique(folded.stands_for[[number for _, number in sorted(found)[:most]]])


def words_in(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _folded(text: str) -> str:
    return text.replace("İ", "I").casefold()
