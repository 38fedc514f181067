"""State of a crawl and of its last run (`minicrawl status`)."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any  # Any: JSON

from minicrawl.crawler.books.stored_forms import banned_hosts, earlier_runs, kept_settings
from minicrawl.crawler.outcomes.retries import wants
from minicrawl.model import READ, IllHost, ReadShare, Silence, State, Sums
from minicrawl.parts import Figures, figures_of, name_of, pages_left_out, parts
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.recognised import RefusedRow


@dataclass(frozen=True)
class Sitemaps:
    """Numbers of sitemaps by reason, and of those left out: too many of a host, or too deep.

    found: URLs in them; queued: of these, those in scope and not known; waiting, made_known: of these, those that still
    wait to be added to the known pages, and those that were.
    """

    reasons: dict[str, int]
    left_out: int
    found: int
    queued: int
    waiting: int
    made_known: int


@dataclass(frozen=True)
class Requisites:
    """Numbers of files that pages need, kept and waiting; of failed ones by reason; and bytes of all (--requisites)."""

    kept: int
    waiting: int
    failed: dict[str, int]
    bytes: int


@dataclass(frozen=True)
class LeftOut:
    """What a crawl left out without a look. unread: URLs refused as too long, or beyond a site's budget; example: the
    first. nofollow: links that are not to be followed; pages: that say so of all theirs; links: these. known: pages
    that wait, and will not be read; ill: pages that wait for hosts that are ill; failed: pages that were given up there
    and that the next run requests again for no other reason.
    """

    unread: int = 0
    example: str | None = None
    nofollow: int = 0
    pages: int = 0
    links: int = 0
    known: int = 0
    ill: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Run:
    """The last run of a crawl, as of its last commit. errors: pages given up, by reason code."""

    fetched: int
    bytes: int
    seconds: float
    in_flight: int
    errors: dict[str, int]
    coverage: float
    coverage_about: float
    coverage_shown: float
    silence: Silence | None = None

    @property
    def pages_per_second(self) -> float | None:
        return self.fetched / self.seconds if self.seconds else None


@dataclass(frozen=True)
class Partition:
    """A partition of a crawl. pages: its pages by state; mirrors: number of other partitions' URLs; outbox: number of
    messages in it. last_commit: Unix seconds."""

    number: int
    pages: dict[str, int]
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
class Status:
    """A crawl at one moment.

    stopped: why the last run stopped; "killed": without a reason; None while it runs. known, read: numbers of pages;
    left_out: links of read pages excluded by scope, filters and budgets. states, reasons: pages by state, and by
    "state/reason". duplicates: numbers of exact and near ones. probed: number of probes for nonexistent pages; existed:
    of these, answered as if they existed; soft_404: the folders with soft 404s. hook_errors: failures by hook. run:
    None before the first commit; for a folder its duration is the longest partition's, and its coverage is as if all
    were settled. last_commit: Unix seconds. partitions: of a folder. figures: of parts.
    requisites: None without any.
    """

    store: str
    running: bool
    stopped: str | None
    known: int
    read: int
    left_out: int
    unasked: LeftOut
    states: dict[str, int]
    reasons: dict[str, int]
    hosts: int
    ill_hosts: tuple[IllHost, ...]
    refused: tuple[RefusedRow, ...]
    sitemaps: Sitemaps
    duplicates: dict[str, int]
    probed: int
    existed: int
    soft_404: tuple[str, ...]
    hook_errors: dict[str, int]
    run: Run | None
    last_commit: float | None
    partitions: tuple[Partition, ...] = ()
    figures: Figures = field(default_factory=dict)
    requisites: Requisites | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines of parts."""
        of = [(part, self.figures[name_of(part)]) for part in parts() if name_of(part) in self.figures]
        return tuple(line for part, figures in of for line in part.status(figures))

    def as_json(self) -> dict[str, Any]:
        speed = self.run and self.run.pages_per_second
        run = asdict(self.run) if self.run else {}
        values = asdict(self) | {"run": run, "pages_per_second": speed, "notes": self.notes}
        values["parts"] = {name: dict(of) for name, of in values.pop("figures").items() if any(of.values())}
        values["ill_hosts"] = [host._asdict() for host in self.ill_hosts]
        values["refused"] = [row._asdict() for row in self.refused]
        values["probes"] = {
            "asked": values.pop("probed"),
            "existed": values.pop("existed"),
            "soft_404": values.pop("soft_404"),
        }
        for name in ("partitions", "requisites", "notes", "parts"):
            if not values[name]:
                del values[name]
        return values


AtRest = tuple[Status, Sums, Sequence[str], CrawlSettings]
"""A crawl that does not run, or does not listen; totals of runs before the last; hosts excluded by `control ban`; the
settings of the last run."""


def at_rest(store: Store) -> AtRest:
    """State of a store's crawl and its runs, as of one commit. Raises StoreError."""
    with store.snapshot():
        return status(store), earlier_runs(store), banned_hosts(store), kept_settings(store)


def status(store: Store) -> Status:
    """State of a store's crawl, as of one commit. Raises StoreError."""
    with store.snapshot():
        counts = store.page_table.counts()
        states: Counter[str] = Counter()
        for (state, _), count in counts.items():
            states[state] += count
        figures, ill_hosts = figures_of(store), store.hosts.ill()
        is_running, run_at, probes = store.is_in_use(), store.meta("run_at"), store.recognised.probes()
        last_commit = None if run_at is None else float(run_at)
        return Status(
            store=str(store.path),
            running=is_running,
            stopped=None if is_running else str(store.meta("stopped") or "killed"),
            known=sum(counts.values()),
            read=sum(states[state] for state in READ),
            left_out=int(store.meta("links_left_out") or 0),
            unasked=left_out(store, figures, ill_hosts),
            states=dict(states),
            reasons={f"{state}/{reason}": count for (state, reason), count in counts.items()},
            hosts=store.value("SELECT count(*) FROM hosts"),
            ill_hosts=tuple(ill_hosts),
            refused=tuple(store.recognised.refused()),
            sitemaps=_sitemaps(store),
            duplicates=dict(zip(("exact", "near"), store.recognised.duplicate_counts(), strict=True)),
            probed=sum(probe.asked for probe in probes),
            existed=sum(probe.existed for probe in probes),
            soft_404=tuple(sorted(probe.folder for probe in probes if probe.verdict == "soft-404")),
            hook_errors=store.meta_json("hook_errors"),
            run=_run(store.meta_json("run")),
            last_commit=last_commit,
            partitions=tuple(_partition(store, states, last_commit)),
            requisites=_requisites(store),
            figures=figures,
        )


def left_out(store: Store, figures: Figures, ill_hosts: Collection[IllHost]) -> LeftOut:
    """What a store's crawl left out without a look. Raises StoreError."""
    refused = store.recognised.refused()
    example = refused[0].example if refused else None
    unread = sum(row.urls for row in refused)
    nofollow = int(store.meta("links_nofollow") or 0)
    of_pages = store.page_table.nofollow_counts() if nofollow else (0, 0)
    waiting = sum(host.waiting for host in ill_hosts)
    given_up = store.page_table.given_up_at_ill_hosts().values() if ill_hosts else ()
    failed = sum(not wants(reason) for reason in given_up)
    return LeftOut(unread, example, nofollow, *of_pages, pages_left_out(figures), waiting, failed)


def _partition(store: Store, states: Mapping[str, int], last_commit: float | None) -> Iterator[Partition]:
    """The store as a partition; nothing for a crawl in one store."""
    if store.meta("partitions") is not None:
        pages = {state: count for state, count in states.items() if state != State.ELSEWHERE}
        mirrors, number = states.get(State.ELSEWHERE, 0), int(store.meta("partition") or 0)
        yield Partition(number, pages, mirrors, store.value("SELECT count(*) FROM outbox"), last_commit)


def _sitemaps(store: Store) -> Sitemaps:
    rows = store.sitemaps.all()
    return Sitemaps(
        reasons=dict(Counter(row.reason for row in rows)),
        left_out=sum(store.meta_json("sitemaps_left_out").values()),
        found=sum(row.found for row in rows),
        queued=sum(row.queued for row in rows),
        waiting=sum(count for count, _ in store.sitemaps.listed_counts().values()),
        made_known=sum(row.made_known for row in rows),
    )


def _requisites(store: Store) -> Requisites | None:
    """None if there are none."""
    found, states, failed = store.requisites.counts(), Counter[str](), Counter[str]()
    for state, reason, number, _ in found:
        states[state] += number
        if state == "failed":
            failed[reason] += number
    size = sum(size for *_, size in found)
    return Requisites(states["kept"], states["waiting"], dict(failed), size) if found else None


def _run(kept: dict[str, Any]) -> Run | None:
    """A run as the store keeps it: {} before the first commit."""
    if not kept:
        return None
    silence = kept.get("silence")
    of = {name: kept[name] for name in ("fetched", "bytes", "seconds", "in_flight", "errors")}
    return Run(**of, **ReadShare(*kept["coverage"]).figures(), silence=Silence(**silence) if silence else None)
