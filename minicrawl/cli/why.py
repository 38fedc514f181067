"""minicrawl why"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.crawler.admission.scope import Scope
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store
    from minicrawl.store.rows import HostRow

_SHOWN = 10


@click.command(
    short_help="Tell everything known of one URL.", epilog="Example: minicrawl why https://example.org/about"
)
@click.argument("url")
@store_option
@json_option
@logging_options
def command(url: str, store: Path, as_json: bool) -> None:
    """Tell everything known of one URL: its state and the deciding rule, its host's rules, cash, importance, links.

    While a crawl runs, ranks beyond the best thousand are guesses ("about"). Of the links to a page some are shown, of
    those that the first pages to be read have had since it became known.
    """
    from minicrawl.cli.output import document
    from minicrawl.crawler.admission.seeds import guesses
    from minicrawl.crawler.recognise.sessions import Sessions
    from minicrawl.crawler.urls.parameters import stripped
    from minicrawl.store.reader import open_store

    meant = guesses(url)
    if not meant:
        raise SettingError(f"{url!r} is no http or https URL")
    with open_store(store) as reader, reader.snapshot():
        asked_as = {one: one for one in meant}  # by how a page is known
        if not _settings(reader).keep_parameters:
            sessions = Sessions(reader.parameters())
            asked_as = asked_as | {sessions.plain(stripped(one)): one for one in reversed(meant)}
        found = reader.find(list(asked_as))
        # Of a page by https and one by http, the one that is there is meant.
        known = sorted(found, key=lambda url: (reader.state(found[url]) == "error", list(asked_as).index(url)))
        address = next(iter(known), next(url for url in reversed(asked_as) if asked_as[url] == meant[0]))
        asked = asked_as[address]
        told = _known(reader, address, found[address]) if found else _unknown(reader, address)
    told["asked"] = asked
    click.echo(document(told) if as_json else "\n".join(_lines(told)))


def _settings(store: "Store") -> "CrawlSettings":
    from minicrawl.crawler.books.stored_forms import kept_settings

    return kept_settings(store)


def _scope(store: "Store") -> "Scope":
    from minicrawl.crawler.admission.scope import Scope

    return Scope.of(_settings(store), store.seeds())


def _unknown(store: "Store", url: str) -> dict[str, Any]:
    """Why a URL that is not in the store isn't: out of scope, in a trap, too far, or no link to it was found."""
    from minicrawl.crawler.outcomes.reasons import why_not
    from minicrawl.crawler.urls.keys import politeness_key

    nearest = [(store.url(page), store.facts(page)["depth"]) for page in store.sources_of_too_deep(url)]
    reason, rule = why_not(url, _scope(store), nearest)
    trap = _trap(store, url, is_known=False)
    if trap is not None and reason == "no-link":
        reason, rule = trap["rule"], f"pattern {trap['pattern']}"
    listing = store.sitemap_listing(url, politeness_key(url))
    if listing is not None and reason == "no-link":
        reason = "sitemap"
        rule = "no page read so far links to it, but a sitemap lists it and its turn to become known will come"
    return {
        "url": url,
        "state": "unknown",
        "reason": reason,
        "rule": rule,
        "sitemap": listing.url if listing else None,
        "trap": trap,
        "robots": _robots(store, url),
    }


def _known(store: "Store", url: str, page: int) -> dict[str, Any]:
    from minicrawl.crawler.outcomes.reasons import why_so

    ranked, facts, refused = store.ranked_page(page), store.facts(page), store.refused(page)
    robots, leads_to = _robots(store, url), refused and refused.leads_to
    host, sitemap = facts["host"], store.sitemap_of(page)
    sources, targets = store.some_sources(page, _SHOWN), store.outlinks(page)
    return {
        **ranked._asdict(),
        "is_rank_exact": store.is_rank_exact(page),
        "rule": why_so(ranked.reason, ranked.depth, leads_to, _scope(store), robots["rule"]),
        "leads_to": leads_to,
        "known_pages": store.size(),
        "found_on": None if facts["found_on"] is None else store.url(facts["found_on"]),
        "sitemap": None if sitemap is None else sitemap.url,
        "attempts": facts["attempts"],
        "content_type": facts["content_type"],
        "bytes": facts["bytes"],
        "seconds": facts["seconds"],
        "host": _host(store, host),
        "robots": robots,
        "received": facts["received"],
        "forwarded": facts["forwarded"],
        "linked_from": [store.url(source) for source in sources],
        "links_to": [store.url(target) for target in targets[:_SHOWN].tolist()],
        "not_counted": {"nofollow": facts["nofollow"], "out of scope or in a trap": facts["refused"]},
        "trap": _trap(store, url, is_known=True) if facts["found_on"] is not None else None,
        "alternate_of": None if (named_by := store.alternate_of(page)) is None else store.url(named_by),
        "duplicate_of": _leader(store, page),
        "duplicates": dict(zip(("exact", "near"), store.duplicates_of(page), strict=True)),
        "probe": _probe(store, url) if ranked.reason == "soft-404" else None,
    }


def _host(store: "Store", host: "HostRow") -> dict[str, Any]:
    """A host's delay and what makes it as long as it is."""
    from minicrawl.crawler.hosts.politeness import Health, delay_of

    delay = _settings(store).delay
    health = Health(host.seconds, host.backoff, host.strains, host.dead_until)
    base = max(delay, host.crawl_delay) if delay else 0.0
    return {
        "name": host.name,
        "crawl_delay": host.crawl_delay,
        "next_at": max(host.next_fetch, host.rests_until),
        "delay": delay_of(base, health),
        "backoff": host.backoff,
        "seconds": host.seconds,
        "strains": host.strains,
        "dead_until": host.dead_until or None,
    }


def _trap(store: "Store", url: str, *, is_known: bool) -> dict[str, Any] | None:
    """The rule by which a URL is a trap, and what is known of its pattern; None if there is none."""
    from minicrawl.crawler.admission.traps.traps import Traps
    from minicrawl.crawler.urls.keys import politeness_key

    if not _settings(store).traps:
        return None
    traps = Traps(store)
    is_host_known = is_known or store.has_host(politeness_key(url))
    found = traps.verdict(url) if is_known else traps.verdict_on_new(url, is_host_known=is_host_known)
    if found is None:
        return None
    rule, pattern = found
    row = store.pattern(pattern)
    counts = {"read": row.parsed, "repeated": row.repeated, "dropped": row.dropped} if row else None
    return {"rule": rule, "pattern": pattern, "counts": counts}


def _leader(store: "Store", page: int) -> dict[str, Any] | None:
    """The page that said first what this one says, and how alike the two are; None: there is none."""
    from minicrawl.crawler.html.sketch import alike
    from minicrawl.crawler.recognise.duplicate_kinds import kind_of

    row = store.fingerprint(page)
    if row is None or row.leader is None:
        return None
    leader, is_exact = store.url(row.leader), row.distance is None
    return {
        "url": leader,
        "is_exact": is_exact,
        "distance": row.distance or 0,
        "alike": round(alike(row.distance or 0), 3),
        "kind": None if is_exact else kind_of(store.url(page), leader),
    }


def _probe(store: "Store", url: str) -> str | None:
    """The page that cannot exist whose answer showed what the host's soft 404s look like."""
    from minicrawl.crawler.urls.keys import origin_of

    there = origin_of(url)
    probes = [probe for probe in store.probes() if origin_of(probe.url) == there and probe.verdict == "soft-404"]
    return next((probe.url for probe in probes if url.startswith(probe.folder)), probes[0].url if probes else None)


def _robots(store: "Store", url: str) -> dict[str, Any]:
    from minicrawl.crawler.robots.rules import restored
    from minicrawl.crawler.urls.keys import origin_of

    row = store.robots(origin_of(url))
    if row is None:
        return {"verdict": "not asked yet", "rule": None}
    robots = restored(row)
    user_agent = _settings(store).user_agent
    refusal = robots.refusal(user_agent, url)
    line = robots.rules.deciding_line(user_agent, url) if robots.rules else None
    return {
        "verdict": "allowed" if refusal is None else refusal[1],
        "rule": line and f"{line!r} of {row.origin}/robots.txt",
        "status": row.status,
        "crawl_delay": robots.rules.crawl_delay(user_agent) if robots.rules else None,
        "expires": row.expires,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    from minicrawl.cli.output import printable

    lines = [printable(told["url"])]
    if told["asked"] != told["url"]:
        lines.append("  known as    this, without parameters for tracking and sessions (see --keep-parameters)")
    robots = told["robots"]
    verdict = ", ".join(filter(None, [robots["verdict"], robots["rule"] and printable(robots["rule"])]))
    if told["state"] == "unknown":
        return [
            *lines,
            f"  unknown     {told['reason']}: {printable(told['rule'])}",
            *([f"  sitemap     waits in {printable(told['sitemap'])}"] if told["sitemap"] else []),
            *_trap_lines(told["trap"]),
            f"  robots.txt  {verdict}",
        ]
    if told["title"]:
        lines.append(f"  {printable(told['title'])}")
    host = told["host"]
    lines += [
        f"  state       {told['state']}, because {told['reason']}"
        + (f": {printable(told['rule'])}" if told["rule"] else ""),
        *_trap_lines(told["trap"]),
        *_duplicate_lines(told),
        f"  importance  {told['importance']:.3g}, rank {'' if told['is_rank_exact'] else 'about '}{told['rank']:,} "
        f"of {told['known_pages']:,}",
        f"  cash        {told['cash']:,} units; history {told['history']:,.0f}",
        f"  ledger      received {told['received']:,}, forwarded {told['forwarded']:,} units",
        f"  found {_found(told)}, {told['depth']} links from a seed",
        f"  host        {printable(host['name'])}: not to be asked before {_at(host['dead_until'] or host['next_at'])}",
        f"  delay       {_delay(host)}",
        f"  robots.txt  {verdict}" + (f", asks for {robots['crawl_delay']:g} s" if robots.get("crawl_delay") else ""),
    ]
    if told["fetched_at"] is not None:
        lines.append(
            f"  fetched     {_at(told['fetched_at'])}: {told['status']}, {printable(str(told['content_type']))}, "
            f"{told['bytes']:,} bytes in {told['seconds']:.2f} s"
        )
    lines.append(f"  links in    {told['inlinks']:,}" + _sample(told["linked_from"]))
    skipped = ", ".join(f"{count} {what}" for what, count in told["not_counted"].items() if count)
    lines.append(f"  links out   {told['outlinks'] or 0:,}" + (f"; not counted: {skipped}" if skipped else ""))
    lines[-1] += _sample(told["links_to"])
    return lines


def _delay(host: dict[str, Any]) -> str:
    """A host's delay in words, with the reason for it."""
    if not host["delay"]:
        return "none: politeness is off"
    delay = f"{host['delay']:.3g} s between two requests"
    if host["strains"]:
        dead = f"; dead until {_at(host['dead_until'])}" if host["dead_until"] else ""
        return f"{delay}, backed off: {host['strains']} failures in a row{dead}"
    if host["delay"] == host["crawl_delay"]:
        return f"{delay}, as its robots.txt asks"
    if host["delay"] == host["backoff"]:
        return f"{delay}, being eased back after failures"
    return f"{delay}; its last answer took {host['seconds']:.2f} s"


def _found(told: dict[str, Any]) -> str:
    from minicrawl.cli.output import printable

    if told["sitemap"] is not None:
        return f"in    sitemap {printable(told['sitemap'])}"
    return f"on    {printable(told['found_on'] or 'the seed list')}"


def _trap_lines(trap: dict[str, Any] | None) -> list[str]:
    from minicrawl.cli.output import printable

    if trap is None:
        return []
    counts = trap["counts"]
    told = f"  trap        {trap['rule']}, pattern {printable(trap['pattern'])}"
    if counts is None:
        return [told]
    return [
        f"{told}: {counts['read']:,} read, {counts['repeated']:,} of them repeated "
        f"another page; {counts['dropped']:,} links dropped"
    ]


_KINDS = {
    "print": "one for printing",
    "translation": "another language",
    "version": "another version",
    "mirror": "on another host",
    "template": "of one folder",
}


def _duplicate_lines(told: dict[str, Any]) -> list[str]:
    from minicrawl.cli.output import printable

    lines = []
    if told["alternate_of"] is not None:
        lines.append(f"  alternate   of {printable(told['alternate_of'])}, read before it: it waits behind other pages")
    if (leader := told["duplicate_of"]) is not None:
        told_kind = f", {_KINDS[leader['kind']]}" if leader["kind"] else ""
        near = f"near-duplicate (about {leader['alike']:.0%} alike{told_kind})"
        lines.append(f"  duplicate   {'exact duplicate' if leader['is_exact'] else near} of {printable(leader['url'])}")
    exact, near = told["duplicates"].values()
    if exact or near:
        lines.append(f"  duplicates  {exact:,} exact, {near:,} near")
    if told["probe"] is not None:
        lines.append(f"  soft 404    it says what the host said of {printable(told['probe'])}, which cannot exist")
    return lines


def _sample(urls: list[str]) -> str:
    from minicrawl.cli.output import printable

    return "".join(f"\n              {printable(url)}" for url in urls)


def _at(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OSError, OverflowError, ValueError):  # of a damaged store: no calendar has it
        return f"{seconds:g} s after 1970"
