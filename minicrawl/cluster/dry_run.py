"""The first requests of a crawl in partitions: simulated in each partition by itself, and put in one order."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from heapq import merge
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any  # Any: settings as given

from minicrawl.analysis.dry_run import DryRun, HostPlan, LeftOut, planned
from minicrawl.cluster.folder import found
from minicrawl.cluster.new_store import make_store
from minicrawl.cluster.settings import check_working
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.remembered_settings import resumed
from minicrawl.store.partitions.folder import store_of
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer


def dry_run(  # noqa: PLR0913 - as that of a crawl in one process
    given: Mapping[str, Any], forgotten: Iterable[str], seeds: Seeds, store: Path, *, most: int, now: float
) -> DryRun:
    """Simulate the next run of the crawl in a folder; see analysis/dry_run.py. Raises ConfigError, StoreError."""
    folder = found(store)
    folder.check_is_here()
    settings = resumed(folder.settings_in_full, given, forgotten).settings
    check_working(settings, folder.homes.partitions)
    plans = []
    with TemporaryDirectory(prefix="minicrawl-") as name:
        homes, made = {folder.homes.home_of(url) for url in seeds.urls}, set(folder.made)
        for number in sorted(homes | made):
            copy = store_of(Path(name), number)
            if number in made:
                backup(folder.store(number), copy)
            else:
                make_store(copy, folder.cluster, number, folder.partitions)
            with closing(Writer(copy)) as writer:
                share = folder.homes.share(number)
                plans.append(planned(settings, seeds, writer, most=most, now=now, share=share))
            copy.unlink()
    return _together(plans, most)


def _together(plans: Sequence[DryRun], most: int) -> DryRun:
    """The plan of all partitions, up to `most` requests for pages."""
    each = [[(host, request) for host in plan.hosts for request in host.requests] for plan in plans]
    hosts: dict[str, HostPlan] = {}
    asked = 0
    in_turn = (sorted(some, key=lambda pair: pair[1].place) for some in each)
    for place, (host, request) in enumerate(merge(*in_turn, key=lambda pair: pair[1].after), 1):
        if asked == most:
            break
        asked += request.is_page
        plan_of = hosts.setdefault(host.host, HostPlan(host.host, host.delay))
        plan_of.requests.append(replace(request, place=place))
    left_out: dict[str, LeftOut] = {}
    for one in (one for plan in plans for one in plan.left_out):
        before = left_out.get(one.reason, replace(one, pages=0))
        left_out[one.reason] = replace(before, pages=before.pages + one.pages)
    return DryRun(
        sum(plan.waiting for plan in plans),
        list(hosts.values()),
        sorted(left_out.values(), key=attrgetter("pages"), reverse=True),
    )
