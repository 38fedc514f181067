"""What a crawl in partitions does, or has done: what its stores say of their partitions, added up."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from minicrawl.analysis.status import Duplicates, Probes, Run, Sitemaps, Status, status
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.merged import states, sums_of
from minicrawl.model import READ, State
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class PartStatus:
    """A partition by itself. pages: at home, by state; mirrors: URLs of others; outbox: rows that wait there."""

    pages: Mapping[str, int]
    mirrors: int
    outbox: int
    last_commit: float | None

    @property
    def known(self) -> int:
        return sum(self.pages.values())

    @property
    def read(self) -> int:
        return sum(self.pages.get(state, 0) for state in READ)


@dataclass(frozen=True)
class WholeStatus:
    """A crawl and its partitions, by their numbers.

    of_all: has the hosts and pages that are at home, a run as long as the longest partition's, and as its coverage the
    importance that the pages read have by the links found so far: no bound, and exact once the crawl has settled.
    """

    of_all: Status
    partitions: tuple[PartStatus, ...]


def status_of_all(folder: Folder, stores: Sequence[Store]) -> WholeStatus:
    """What the stores of a crawl say, each as of its last commit. Raises StoreError."""
    each = [status(store) for store in stores]
    parts = tuple(map(part_status, stores))
    sums, hosts = sums_of(stores), sum(store.at_home.hosts() for store in stores)
    collected = sum(store.at_home.collected(*sums) for store in stores)
    return WholeStatus(_added_up(each, hosts, folder, collected), parts)


def part_status(store: Store) -> PartStatus:
    """What the store of a partition says of it alone."""
    pages, run_at = dict(states(store)), store.meta("run_at")
    mirrors = pages.pop(State.ELSEWHERE, 0)
    return PartStatus(pages, mirrors, len(store.transfers.outbox()), None if run_at is None else float(run_at))


def _added_up(each: Sequence[Status], hosts: int, folder: Folder, collected: float) -> Status:
    is_running = folder.is_in_use
    states = _counted(map(_at_home, each))
    reasons = _counted(one.reasons for one in each)
    commits = [one.last_commit for one in each if one.last_commit is not None]
    runs = [one.run for one in each if one.run is not None]
    return replace(
        each[0],
        store=str(folder.path),
        running=is_running,
        stopped=None if is_running else ", ".join(dict.fromkeys(str(one.stopped) for one in each)),
        known=sum(states.values()),
        read=sum(states.get(state, 0) for state in READ),
        left_out=_sum(each, lambda one: one.left_out),
        states=states,
        reasons={reason: count for reason, count in reasons.items() if not reason.startswith(f"{State.ELSEWHERE}/")},
        hosts=hosts,
        failing_hosts=tuple(host for one in each for host in one.failing_hosts),
        traps=tuple(trap for one in each for trap in one.traps),
        sitemaps=_sitemaps([one.sitemaps for one in each]),
        duplicates=Duplicates(
            _sum(each, lambda one: one.duplicates.exact), _sum(each, lambda one: one.duplicates.near)
        ),
        probes=Probes(
            _sum(each, lambda one: one.probes.asked), tuple(place for one in each for place in one.probes.soft_404)
        ),
        expected=None,
        hook_errors=_counted(one.hook_errors for one in each),
        freshness=None,
        run=_run(runs, collected) if runs else None,
        last_commit=max(commits, default=None),
    )


def _at_home(one: Status) -> dict[str, int]:
    return {state: count for state, count in one.states.items() if state != State.ELSEWHERE}


def _sitemaps(each: Sequence[Sitemaps]) -> Sitemaps:
    return Sitemaps(
        reasons=_counted(one.reasons for one in each),
        left_out=sum(one.left_out for one in each),
        found=sum(one.found for one in each),
        queued=sum(one.queued for one in each),
        waiting=sum(one.waiting for one in each),
        made_known=sum(one.made_known for one in each),
    )


def _run(each: Sequence[Run], collected: float) -> Run:
    return Run(
        fetched=sum(one.fetched for one in each),
        bytes=sum(one.bytes for one in each),
        seconds=max(one.seconds for one in each),
        in_flight=sum(one.in_flight for one in each),
        errors=_counted(one.errors for one in each),
        coverage=min(collected, 1.0),
    )


def _sum(each: Iterable[Status], of: Callable[[Status], int]) -> int:
    return sum(map(of, each))


def _counted(each: Iterable[Mapping[str, int]]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for one in each:
        counted.update(one)
    return dict(counted)
