"""Answers from a crawl in partitions: each store answers where it lies, and the answers are merged.

    sums = what all stores have received; every store ranks its pages by these, and sorted lists are merged

All other questions are asked of one store, which `minicrawl gather` makes of a folder. While a crawl runs, each store
answers as of its own last commit, and what is on its way from one to another counts nowhere. In-links that lead to an
alias in another partition are counted there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar, TypeVarTuple

from minicrawl.analysis.explain import Explanation, explain, meant_by
from minicrawl.analysis.status import AtRest, Status, at_rest
from minicrawl.analysis.top import TopList, answering_sites, asked_list, best_first, lines_of_sites, only
from minicrawl.analysis.usage import PageUsage
from minicrawl.cluster import ray
from minicrawl.cluster.combined import added, earlier_of
from minicrawl.cluster.exchange import home_of
from minicrawl.errors import SettingError
from minicrawl.export.tables import COLUMNS, Table, export_table
from minicrawl.model import NOTHING_READ, ReadShare, State
from minicrawl.settings import RANKINGS
from minicrawl.store.folder import Folder, found
from minicrawl.store.questions import pages_for
from minicrawl.store.reader import Store, open_store
from minicrawl.store.united import Sums, sum_of

_Given = TypeVarTuple("_Given")
_Answer = TypeVar("_Answer")
Written = tuple[int, int, Sequence[str]]
"""Numbers of pages written, and of those left out by preferences; and the uses for which these are respected."""
_ANY = "1"
"""A condition that all pages of a partition meet: mirrors are not among those that conditions are about."""


class _Look(NamedTuple):
    """What a store tells first. sites: that have answered, see `answering_sites`; known: number of its pages."""

    sums: Sums
    sites: frozenset[str]
    known: int


@contextmanager
def _opened(path: Path) -> Iterator[Folder]:
    """A folder whose stores can be asked, on other machines, too. Raises MinicrawlError."""
    folder = found(path)
    with ray.connected(folder.ray or "auto") if folder.nodes else nullcontext():
        yield folder


def _asked(
    folder: Folder,
    question: Callable[[Store, *_Given], _Answer],
    *given: *_Given,
    sums: Sums | None = None,
    of: Sequence[int] | None = None,
) -> list[_Answer]:
    """The answers of stores to a question, by number. Raises MinicrawlError.

    question: a function of a module, which gets the store on its machine as of one commit. sums: rank its pages among
    those of all by these. of: partitions; None: all.
    """
    numbers = range(folder.partitions) if of is None else of
    if folder.nodes:
        return ray.asked(folder, numbers, _answer, sums, question, *given)
    for number in numbers:
        folder.check_is_there(number)
    return [_answer(folder.store(number), sums, question, *given) for number in numbers]


def _answer(path: Path, sums: Sums | None, question: Callable[[Store, *_Given], _Answer], *given: *_Given) -> _Answer:
    with open_store(path) as store, store.snapshot():
        if sums is not None:
            store.united.show(sums)
        return question(store, *given)


def _looks(folder: Folder) -> tuple[list[_Look], Sums]:
    """What all stores tell first, and the sums of all."""
    looks = _asked(folder, _looked)
    return looks, sum_of(look.sums for look in looks)


def _looked(store: Store) -> _Look:
    return _Look(store.united.sums(), answering_sites(store), store.page_table.totals().known)


# The list.


def top(path: Path, by: str, n: int, where: str | None = None, per_site: int | None = None) -> TopList:
    """The n best pages of a folder, see `asked_list`. Pages that say the same are one line if they share a partition.

    Raises SettingError, StoreError.
    """
    _check(path, by, where)
    if by == "cash":
        where = where or _ANY
    with _opened(path) as folder:
        looks, sums = _looks(folder)
        if per_site is None:
            per_site = lines_of_sites(frozenset().union(*(look.sites for look in looks)))
        lists = _asked(folder, asked_list, by, n, where, per_site or 0, sums=sums)
    whole: TopList = added(lists)
    best = sorted(whole.lines, key=lambda line: -getattr(line.page, by))[:n]
    return replace(
        whole,
        lines=[replace(line, page=line.page._replace(rank=rank)) for rank, line in enumerate(best, 1)],
        unread={state: count for state, count in whole.unread.items() if state != State.ELSEWHERE},
    )


def _check(path: Path, by: str, where: str | None) -> None:
    """Raise SettingError for a ranking or a condition that one store may have, and no folder."""
    if by not in RANKINGS:
        raise _of_one(f"--by {by}", path)
    if where is not None and pages_for(where) != pages_for(_ANY):
        raise _of_one("--where with a rank", path)


def _of_one(what: str, path: Path) -> SettingError:
    return SettingError(
        f"{what} is for one store, and {path} is a folder of partitions; 'minicrawl gather {path} crawl.db' makes one "
        "of all"
    )


# One URL.


def why(path: Path, text: str) -> Explanation:
    """Explain the URL that a user means, as its home knows it. Raises SettingError, StoreError."""
    with _opened(path) as folder:
        home = home_of(meant_by(text)[0], folder)
        looks, sums = _looks(folder)
        ((explained, x),) = _asked(folder, _why, text, sums=sums, of=[home])
        explained = replace(explained, partition=home)
        if explained.page is None:
            return explained
        rank = 1 + sum(_asked(folder, _better, x, sums=sums))
    ranked = explained.page.ranked._replace(rank=rank)
    whole = replace(explained.page, ranked=ranked, known_pages=sum(look.known for look in looks))
    return replace(explained, page=whole)


def _why(store: Store, text: str) -> tuple[Explanation, float]:
    explained = explain(store, text)
    page = store.page_table.find([explained.url]).get(explained.url)
    return explained, 0.0 if page is None else store.ranks.x(page)


def _better(store: Store, x: float) -> int:
    return int(store.value("SELECT count(*) FROM weighed WHERE x > ?", x))


# The state.


def whole(path: Path) -> AtRest:
    """The state of the crawl in a folder and its runs. Raises StoreError."""
    with _opened(path) as folder:
        each = _asked(folder, _at_rest)
    statuses, runs = [status for (status, *_), _ in each], [earlier for (_, earlier, *_), _ in each]
    shares = (
        ReadShare(one.run.coverage, one.run.coverage_about, one.run.coverage_shown)
        for one in statuses
        if one.run is not None
    )
    banned = sorted({name for (_, _, names, _), _ in each for name in names})
    is_running = any(one.running for one in statuses)
    seconds = max((one.run.seconds for one in statuses if one.run is not None), default=0.0)
    status: Status = added(statuses)
    status = replace(
        status,
        store=str(path),
        running=is_running,
        stopped=None if is_running else ", ".join(dict.fromkeys(str(one.stopped) for one in statuses)),
        known=sum(part.known for part in status.partitions),
        states=added([part.pages for part in status.partitions]),
        reasons={name: n for name, n in status.reasons.items() if State.ELSEWHERE not in name},
        hosts=sum(count for _, count in each),
        run=status.run
        and replace(status.run, seconds=seconds, **max(shares, default=NOTHING_READ).figures(), silence=None),
        last_commit=max((one.last_commit for one in statuses if one.last_commit is not None), default=None),
    )
    return status, earlier_of(runs), banned, each[0][0][3]


def _at_rest(store: Store) -> tuple[AtRest, int]:
    hosts = store.value("SELECT count(DISTINCT host) FROM pages WHERE state <> 'elsewhere'")
    return at_rest(store), hosts


# Files.


def export_pages(path: Path, file: Path, by: str, where: str | None = None, form: str | None = None) -> Written:
    """Write the pages of each partition to a Parquet file of its own in the folder `file`, where the store lies, best
    first: a data set. form: as for `export_table`. Raises SettingError, StoreError."""
    _check(path, by, where)
    with _opened(path) as folder:
        file = _data_set(folder, file, form)
        _, sums = _looks(folder)
        counts = _asked(folder, _export_pages, file, by, where or _ANY, sums=sums)
    written, left_out, respected = zip(*counts, strict=True)
    return sum(written), sum(left_out), respected[0]


def export_links(path: Path, file: Path) -> int:
    """Write the links of each partition's pages to a Parquet file of its own in the folder `file`. Returns their
    number. Raises SettingError, StoreError."""
    with _opened(path) as folder:
        file = _data_set(folder, file)
        return sum(_asked(folder, _export_links, file))


def _data_set(folder: Folder, file: Path, form: str | None = None) -> Path:
    """The folder of a data set. Raises SettingError if it has files of another one, which would be read with it."""
    if (form or file.suffix[1:].lower()) != "parquet":
        raise _of_one("a format other than Parquet", folder.path)
    own = {f"{folder.store(number).stem}.parquet" for number in range(folder.partitions)}
    if file.is_dir() and (others := {entry.name for entry in file.glob("*.parquet")} - own):
        raise SettingError(f"{file} has another file, {min(others)}; name a new folder")
    return file.absolute()


def _place(folder: Path, store: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"{folder} cannot be a folder: {error.strerror}; name another") from error
    return folder / f"{store.stem}.parquet"


def _export_pages(store: Store, file: Path, by: str, where: str) -> Written:
    usage = PageUsage(store)
    _, ranked = best_first(store, by)
    rows = (tuple(page)[1:] for _, page, _ in usage.usable(only(ranked, store.questions.where(where))))
    columns = dict(islice(COLUMNS.items(), 1, None))  # a rank is one among all pages
    return export_table(Table(columns, rows), _place(file, store.path)), usage.left_out, usage.respected


def _export_links(store: Store, file: Path) -> int:
    from minicrawl.graphs.graph_files import links_by_url  # noqa: PLC0415 - loads SciPy

    return export_table(links_by_url(store), _place(file, store.path))
