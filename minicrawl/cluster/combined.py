"""Combine coverage, site trust, looks and progress of a crawl from those of its partitions.

A site and all links that it makes are in one partition. For trust, each partition sends the links of its sites, with
the names of linked sites elsewhere, and receives the trust of the sites that it knows. Looks have the form that a
crawl in one process gives (control/commands.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any, NamedTuple  # Any: messages

import numpy as np

from minicrawl.control.messages import Message
from minicrawl.model import NOTHING_READ, LimitsNow, Progress, ReadShare, RunState, State, Sums
from minicrawl.opic.coverage import CoverageSums
from minicrawl.opic.coverage import shares_of_all as read_shares
from minicrawl.opic.sites import SiteLinks, SiteShares
from minicrawl.store.transfers import NeighbourRow

_REQUESTS, _SHOWN = 20, 3
_OF_LOOKS = ("errors", "earlier", "doing", "host_states", "statuses", "failed", "work", "pages", "histograms", "took")
"""Figures of a look that are added up."""
_OF_RUN = ("seconds", "fetched", "bytes", "known", "coverage", "coverage_about", "coverage_shown", "reason")
_DOING = ("asked", "opening", "ready", "waiting", "banned", "idle")
"""Display order of the states of hosts."""


def look_of(looks: Sequence[Message], hosts: int) -> Message:
    """Look figures of all partitions. hosts: how many to list, those with open requests first."""
    some = [look for look in looks if "requests" in look]
    if not some:
        return {}
    whole: dict[str, Any] = added([{name: look[name] for name in _OF_LOOKS} for look in some])
    for name in ("doing", "host_states"):
        whole[name].pop("idle", None)  # a foreign host, known by links to it, is idle in this partition, too
    whole["pages"] = {kind: n for kind, n in whole["pages"].items() if kind.split("/")[0] != State.ELSEWHERE}
    whole["earlier"] |= {name: max(look["earlier"][name] for look in some) for name in ("runs", "seconds")}
    silences = [look["silence"] for look in some]
    requests = [{**one, "worker": number} for number, look in enumerate(looks) for one in look.get("requests", ())]
    return {
        **whole,
        "silence": silences[0] if None not in silences else None,
        "requests": sorted(requests, key=lambda one: -one["seconds"])[:_REQUESTS],
        "hosts": _first([one for look in some for one in look["hosts"]], hosts),
    }


def added(each: Sequence[Any]) -> Any:
    """Values of all partitions as one: numbers are added up, lists joined, what has names name by name; of texts the
    first counts. None is left out."""
    some = [one for one in each if one is not None]
    first = some[0] if some else None
    if isinstance(first, Mapping):
        names = dict.fromkeys(name for one in some for name in one)
        return {name: added([one[name] for one in some if name in one]) for name in names}
    if is_dataclass(first) and not isinstance(first, type):
        return replace(first, **{one.name: added([getattr(of, one.name) for of in some]) for one in fields(first)})
    if isinstance(first, tuple | list):
        return type(first)(chain(*some))
    return first if first is None or isinstance(first, str) else sum(some)


def progress_of(parts: Sequence[Progress], state: RunState, limits: LimitsNow, figures: Message) -> Progress:
    """The progress of all partitions, for the display. figures: see `Keeper`."""
    whole: Progress = added(parts)
    return replace(
        whole,
        **{name: figures[name] for name in _OF_RUN},
        never_read=figures["known"] - figures["read"],
        clock=0.0,
        silence=parts[0].silence if all(part.silence for part in parts) else None,
        state=state,
        limits=limits,
        earlier=earlier_of([part.earlier for part in parts]),
        requests=tuple(sorted(whole.requests, key=lambda one: -one.seconds)[:_SHOWN]),
        has_its_pages=all(part.has_its_pages for part in parts),
        ill_hosts=tuple(sorted(whole.ill_hosts, key=lambda host: -host.waiting)[:_SHOWN]),
    )


def earlier_of(each: Sequence[Sums]) -> Sums:
    """The runs of all partitions, which are together in each."""
    runs, fetched, size, seconds = zip(*each, strict=True)
    return Sums(max(runs), sum(fetched), sum(size), max(seconds))


def _first(hosts: Sequence[Message], count: int) -> list[Message]:
    """Each host once, in the state of its home partition; it is idle in all others."""
    found: dict[str, Message] = {}
    for host in sorted(hosts, key=lambda host: _DOING.index(host["doing"])):
        found.setdefault(host["host"], host)
    return list(found.values())[:count]


class Covered(NamedTuple):
    """Coverage figures of a partition as of one commit. neighbours: by the number of the other partition."""

    sums: CoverageSums
    neighbours: Mapping[int, NeighbourRow]


def coverage_of(each: Mapping[int, Covered | None]) -> ReadShare:
    """The coverage of all partitions; nothing where one does not know its figures yet. each: by number, of moments that
    may differ."""
    known = {number: of for number, of in each.items() if of is not None}
    if len(known) < len(each):
        return NOTHING_READ
    credits = debits = 0
    for source, sender in known.items():
        for home, sent in sender.neighbours.items():
            taken = known[home].neighbours.get(source) or NeighbourRow(source, 0, 0)
            credits += max(sent.credit_sent - taken.credit_taken, 0)
            debits += max(sent.debit_sent - taken.debit_taken, 0)
    return ReadShare(*read_shares([of.sums for of in known.values()], credits, debits))


def shares_of_all(each: Sequence[SiteLinks]) -> list[SiteShares]:
    """Shares of each partition's sites, in their order. each: from `exchange.site_links`."""
    numbers: dict[str, int] = {}
    known = [np.array([numbers.setdefault(name, len(numbers)) for name in one.names], np.int64) for one in each]
    leads_to, of_site = np.arange(len(numbers)), np.zeros((3, len(numbers)), dtype=np.int64)
    for sites, one in zip(known, each, strict=True):  # a site has all its pages in one partition
        of_site[:, sites] += np.array([one.has_seed, one.known, one.read])
        leads_to[sites] = np.where(sites == sites[one.leads_to], leads_to[sites], sites[one.leads_to])
    source, target = (
        np.concatenate([sites[getattr(one, end)] for sites, one in zip(known, each, strict=True)])
        for end in ("source", "target")
    )
    links, voices = (np.concatenate([getattr(one, of) for one in each]) for of in ("links", "voices"))
    has_seed, pages, read = of_site
    of_all = SiteLinks(list(numbers), has_seed > 0, pages, read, leads_to, source, target, links, voices)
    return list(map(of_all.shares().of, known))
