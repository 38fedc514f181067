"""Contents of `minicrawl report`: numbers, pictures and tables."""

from collections.abc import Sequence
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.page_columns import iso
from minicrawl.analysis.page_links import Asked, PageLinks, page_links
from minicrawl.analysis.sites import numbered_sites
from minicrawl.analysis.status import Status, status
from minicrawl.analysis.thumbnails import thumbnail
from minicrawl.analysis.top.top_list import lines_per_site, top_list
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.crawler.urls.keys import site_of
from minicrawl.export.report_file import Point, Report, Section, Share, Url, degree_chart, line_chart
from minicrawl.model import READ, State
from minicrawl.store.reader import Store
from minicrawl.store.select.outstanding import PageColumns

ROWS, TOP, PICTURES = 25, 100, 12
"""Rows of most tables, and of the table of the most important pages; and the thumbnails of these at most."""
_BROKEN = 50
_POINTS = 120


def report_on(store: Store) -> Report:
    """The report on a crawl, as of one commit."""
    with store.snapshot():
        pages, now = store.outstanding.columns(), status(store)
        broken, redirected = (page_links(store, asked) for asked in (Asked(broken=True), Asked(redirected=True)))
        untitled, without_title = store.outstanding.untitled(ROWS)
        seeds = store.page_table.seeds()
        return Report(
            title=f"Crawl report: {_names(seeds)}",
            subtitle=_subtitle(pages, now),
            tiles=_tiles(pages, now, broken, redirected, untitled),
            charts=_charts(store, pages),
            pictures=_thumbnails(store),
            sections=(
                _top(store),
                _errors(now),
                _broken(broken),
                _redirects(store, redirected),
                Section("Slowest pages", ("page", "seconds", "status"),
                        [(Url(url), seconds, str(each)) for url, seconds, each in store.outstanding.slowest(ROWS)],
                        "How long the server took, connections and retries left out."),
                Section("Largest pages", ("page", "bytes", "type"),
                        [(Url(url), size, kind) for url, size, kind in store.outstanding.largest(ROWS)],
                        "Bytes of the body as they came over the network, mostly packed."),
                Section("Duplicates", ("page", "same bytes", "nearly the same", "one of them"),
                        [(Url(url), exact, near, Url(one)) for url, exact, near, one in store.outstanding.copied(ROWS)],
                        "Pages that others say again: the page that was read first, and how many others there are.",
                        "No page says what another says."),
                Section("Pages without a title", ("page", "in-links"),
                        [(Url(url), inlinks) for url, inlinks in without_title],
                        f"{untitled:,} HTML pages have no title; those that most pages link to come first.",
                        "Every HTML page has a title."),
                _sites(store, pages),
                _robots(store, now),
            ),
        )  # fmt: skip


def _thumbnails(store: Store) -> list[tuple[str, str]]:
    """URL and thumbnail of the most important pages that have one."""
    found = ((page.url, thumbnail(store, page.url)) for page in store.pages("importance", TOP))
    return list(islice(((url, picture) for url, picture in found if picture is not None), PICTURES))


def _names(seeds: Sequence[str]) -> str:
    hosts = list(dict.fromkeys(url.split("/")[2] for url in seeds))
    return ", ".join(hosts[:3]) + (f" and {len(hosts) - 3:,} more" if len(hosts) > 3 else "")


def _subtitle(pages: PageColumns, now: Status) -> str:
    times = pages.fetched_at[~np.isnan(pages.fetched_at)]
    if not len(times):
        return "Nothing has been fetched yet."
    ended = " The crawl is still running." if now.running else ""
    return f"Fetched between {_minute(float(times.min()))} and {_minute(float(times.max()))} UTC.{ended}"


def _minute(seconds: float) -> str:
    """A time for people, to the minute, in UTC."""
    return (iso(seconds) or "?")[:16].replace("T", " ")


def _tiles(
    pages: PageColumns, now: Status, broken: PageLinks, redirected: PageLinks, untitled: int
) -> list[tuple[str, str]]:
    seconds = pages.seconds[~np.isnan(pages.seconds)]
    collected = pages.importance[np.isin(pages.state, list(READ))].sum()
    return [
        ("known pages", f"{now.known:,}"),
        ("read", f"{now.read:,}"),
        ("importance read", f"{collected:.1%}"),
        ("failed", f"{now.states.get(State.ERROR, 0) + now.states.get(State.GONE, 0):,}"),
        ("broken links", f"{len(broken):,}"),
        ("links to redirects", f"{len(redirected):,}"),
        ("duplicates", f"{now.duplicates.exact + now.duplicates.near:,}"),
        ("without a title", f"{untitled:,}"),
        ("forbidden by robots", f"{now.states.get(State.DISALLOWED, 0):,}"),
        ("median answer", f"{np.median(seconds):.2g} s" if len(seconds) else "-"),
        ("hosts", f"{now.hosts:,}"),
    ]


def _charts(store: Store, pages: PageColumns) -> list[tuple[str, str]]:
    fetched = np.flatnonzero(~np.isnan(pages.fetched_at))
    order = fetched[np.argsort(pages.fetched_at[fetched], kind="stable")]
    times = pages.fetched_at[order] - (pages.fetched_at[order[0]] if len(order) else 0.0)
    is_read = np.isin(pages.state[order], list(READ))
    collected = 100 * np.cumsum(np.where(is_read, pages.importance[order], 0.0))
    some = _spread(len(order))
    unit, name = _unit(float(times[-1]) if len(order) else 0.0)
    over_time = [(0.0, 0.0), *((float(times[i]) / unit, i + 1.0) for i in some)]
    gained = [(0.0, 0.0), *((i + 1.0, float(collected[i])) for i in some)]
    outdegrees = np.concatenate(
        [np.zeros(0, np.int64), *(np.diff(block.indptr) for block in store.link_table.blocks())]
    )
    degrees = [("in-links", _distribution(pages.inlinks)), ("outlinks", _distribution(outdegrees))]
    end = f"{over_time[-1][0]:.1f} {name}"
    return [
        ("Pages over time", line_chart(over_time, "Pages that had an answer, over time", "time", ("0", end))),
        ("Importance collected (%)", line_chart(gained, "Importance of the pages read, in percent of that of all known "
         "pages, over pages fetched", "pages fetched", ("0", f"{len(order):,}"))),
        *_speed(store),
        ("Degrees", degree_chart(degrees, "How many pages have how many links, both on logarithmic scales")),
    ]  # fmt: skip


def _speed(store: Store) -> list[tuple[str, str]]:
    """A chart of the crawl's speed, if its time series has more points than start and end."""
    points = store.course()
    if len(points) < 3:
        return []
    unit, name = _unit(points[-1].seconds)
    speeds = [
        (after.seconds / unit, (after.fetched - before.fetched) / (after.seconds - before.seconds))
        for before, after in pairwise(points)
    ]
    end = f"{points[-1].seconds / unit:.1f} {name}"
    words = "Pages a second, over the time of crawling, pauses left out"
    return [("Pages a second", line_chart(speeds, words, "time of crawling", ("0", end)))]


def _spread(count: int) -> list[int]:
    """Up to _POINTS of the numbers below `count`, evenly spread, the last included."""
    return sorted({round(step * (count - 1) / (_POINTS - 1)) for step in range(_POINTS)}) if count else []


def _unit(seconds: float) -> tuple[float, str]:
    for unit, name in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * unit:
            return unit, name
    return 1.0, "seconds"


def _distribution(degrees: npt.NDArray[np.int64]) -> list[Point]:
    """Number of pages of each degree from 1 on; from 16 on in bins of an eighth of an octave."""
    found, counts = np.unique(degrees[degrees > 0], return_counts=True)
    bins: dict[int, tuple[float, int]] = {}
    for degree, count in zip(found.tolist(), counts.tolist(), strict=True):
        key = degree if degree < 16 else 16 + int(8 * np.log2(degree / 16))
        total, pages = bins.get(key, (0.0, 0))
        bins[key] = total + degree * count, pages + count
    return [(total / pages, float(pages)) for total, pages in bins.values()]


def _top(store: Store) -> Section:
    found = top_list(store, None, TOP, per_site=lines_per_site(store))
    is_expected = found.order is not None and found.order.of is not None
    worth = [(line.page.expected if is_expected else line.page.importance) or 0.0 for line in found.lines]
    most = max(worth, default=0.0) or 1.0
    rows = [
        (page.rank, Url(page.url), page.title, page.inlinks, value, Share(value / most))
        for page, value in zip((line.page for line in found.lines), worth, strict=True)
    ]
    name = "expected" if is_expected else "importance"
    return Section(f"The {TOP} most important pages", ("rank", "page", "title", "in-links", name, ""), rows,
                   "Importance is the share of all visits that walkers along the links make. Pages that cannot be "
                   "opened or say the same as one above are left out.")  # fmt: skip


def _errors(now: Status) -> Section:
    found = [(key.partition("/"), count) for key, count in now.reasons.items()]
    failed = [(reason, count) for (state, _, reason), count in found if state in (State.ERROR, State.GONE)]
    failed.sort(key=lambda each: -each[1])
    most = max((count for _, count in failed), default=1)
    rows = [(reason, meaning(reason) or "", count, Share(count / most)) for reason, count in failed[:ROWS]]
    return Section("Errors by reason", ("reason", "it means", "pages", ""), rows, empty="No page has failed.")


def _broken(links: PageLinks) -> Section:
    rows = [
        (Url(link.source), Url(link.target), link.anchor, str(link.status or link.reason))
        for link in links.rows(_BROKEN)
    ]
    shown = f" The first {_BROKEN}, by the importance of their pages:" if len(links) > _BROKEN else ""
    text = f"{len(links):,} links end at a page that is not there.{shown}"
    return Section("Broken links", ("on page", "link to", "it says", "end"), rows, text, "No link is broken.")


def _redirects(store: Store, links: PageLinks) -> Section:
    targets, first, counts = np.unique(links.target, return_index=True, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:ROWS]
    ends = links.end[first[most]].tolist()
    answers = store.page_table.answers({*targets[most].tolist(), *ends})
    rows = []
    for target, end, count in zip(targets[most].tolist(), ends, counts[most].tolist(), strict=True):
        last = answers[end]
        rows.append((Url(answers[target].url), Url(last.url), count, str(last.status or last.reason)))
    text = f"{len(links):,} links lead to {len(targets):,} pages that redirect. Those with the most links to them:"
    return Section("Redirects", ("link to", "ends at", "links", "end"), rows, text, "No link leads to a redirect.")


def _sites(store: Store, pages: PageColumns) -> Section:
    names, site = numbered_sites(store, pages.host, site_of)
    importance = np.bincount(site, weights=pages.importance, minlength=len(names))
    known = np.bincount(site, minlength=len(names))
    read, failed = (
        np.bincount(site[np.isin(pages.state, states)], minlength=len(names))
        for states in (list(READ), [State.ERROR, State.GONE])
    )
    best = np.argsort(-importance, kind="stable")[:ROWS].tolist()
    most = float(importance.max(initial=0.0)) or 1.0
    rows = [
        (names[i], float(importance[i]), Share(importance[i] / most), int(known[i]), int(read[i]), int(failed[i]))
        for i in best
    ]
    columns = ("site", "importance", "", "known", "read", "failed")
    return Section("Sites", columns, rows, f"{len(names):,} sites; those with the most importance:")


def _robots(store: Store, now: Status) -> Section:
    rows = [
        (Url(f"{origin}/robots.txt"), str(code or reason or ""), size, _minute(at))
        for origin, code, reason, size, at in store.outstanding.robots(ROWS)
    ]
    text = f"robots.txt files forbid {now.states.get(State.DISALLOWED, 0):,} known pages. The longest files:"
    return Section(
        "Robots", ("robots.txt", "answer", "bytes", "read (UTC)"), rows, text, "No robots.txt was asked for."
    )
