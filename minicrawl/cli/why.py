"""minicrawl why"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.store.reader import Store

_SHOWN = 10


@click.command(epilog="Example: minicrawl why https://example.org/about")
@click.argument("url")
@store_option
@json_option
@logging_options
def command(url: str, store: Path, as_json: bool) -> None:
    """Tell everything known of one URL: its state and the reason, its host's rules, its cash, importance, links."""
    from minicrawl.crawl.urls import normalise
    from minicrawl.store.reader import open_store

    address = normalise(url)
    if address is None:
        raise SettingError(f"{url!r} is no http or https URL")
    with open_store(store) as reader:
        page = reader.find([address]).get(address)
        told = _unknown(reader, address) if page is None else _known(reader, address, page)
    click.echo(json.dumps(told, indent=2, ensure_ascii=False) if as_json else "\n".join(_lines(told)))


def _unknown(store: "Store", url: str) -> dict[str, Any]:
    """Why a URL that is not in the store isn't: out of scope, or no link to it was found."""
    from minicrawl.crawl.scope import Scope
    from minicrawl.settings import CrawlSettings

    scope = Scope.of(CrawlSettings.from_json(store.meta_json("settings")), store.seeds())
    trap = _trap(store, url, is_known=False)
    refusal = scope.refuses(url, 0) or (trap["rule"] if trap else None)
    return {
        "url": url,
        "state": "unknown",
        "reason": refusal or "no-link",
        "trap": trap,
        "robots": _robots(store, url),
    }


def _known(store: "Store", url: str, page: int) -> dict[str, Any]:
    ranked, facts = store.ranked_page(page), store.facts(page)
    host = facts["host"]
    sources, targets = store.sources_of(page), store.outlinks(page)
    return {
        **ranked._asdict(),
        "known_pages": store.size(),
        "found_on": None if facts["found_on"] is None else store.url(facts["found_on"]),
        "attempts": facts["attempts"],
        "content_type": facts["content_type"],
        "bytes": facts["bytes"],
        "seconds": facts["seconds"],
        "host": {"name": host.name, "crawl_delay": host.crawl_delay, "next_at": host.next_at},
        "robots": _robots(store, url),
        "received": facts["received"],
        "forwarded": facts["forwarded"],
        "linked_from": [store.url(source) for source in sources[:_SHOWN].tolist()],
        "links_to": [store.url(target) for target in targets[:_SHOWN].tolist()],
        "not_counted": {"nofollow": facts["nofollow"], "out of scope or in a trap": facts["refused"]},
        "trap": _trap(store, url, is_known=True) if facts["found_on"] is not None else None,
        "duplicate_of": _leader(store, page),
        "duplicates": dict(zip(("exact", "near"), store.duplicates_of(page), strict=True)),
        "probe": _probe(store, url) if ranked.reason == "soft-404" else None,
    }


def _trap(store: "Store", url: str, *, is_known: bool) -> dict[str, Any] | None:
    """The rule by which a URL is a trap, and what is known of its pattern; None if there is none."""
    from minicrawl.crawl.traps import Traps
    from minicrawl.settings import CrawlSettings

    if not CrawlSettings.from_json(store.meta_json("settings")).traps:
        return None
    rows = store.patterns()
    traps = Traps(rows, seeds=store.seeds())
    found = traps.verdict(url) if is_known else traps.verdict_on_new(url)
    if found is None:
        return None
    rule, pattern = found
    row = next((row for row in rows if row.name == pattern), None)
    counts = {"known": row.known, "read": row.read, "repeated": row.repeated, "dropped": row.dropped} if row else None
    return {"rule": rule, "pattern": pattern, "counts": counts}


def _leader(store: "Store", page: int) -> dict[str, Any] | None:
    """The page that said first what this one says, and in how many bits their SimHashes differ; None: there is none."""
    row = store.fingerprint(page)
    if row is None or row.leader is None:
        return None
    return {"url": store.url(row.leader), "is_exact": row.distance is None, "distance": row.distance or 0}


def _probe(store: "Store", url: str) -> str | None:
    """The page that cannot exist whose answer showed what the host's soft 404s look like."""
    from minicrawl.crawl.urls import origin

    probes = [probe for probe in store.probes() if origin(probe.url) == origin(url) and probe.verdict == "soft-404"]
    return next((probe.url for probe in probes if url.startswith(probe.folder)), probes[0].url if probes else None)


def _robots(store: "Store", url: str) -> dict[str, Any]:
    from minicrawl.crawl.robots import restored
    from minicrawl.crawl.urls import origin
    from minicrawl.settings import CrawlSettings

    row = store.robots(origin(url))
    if row is None:
        return {"verdict": "not asked yet"}
    robots = restored(row)
    user_agent = CrawlSettings.from_json(store.meta_json("settings")).user_agent
    refusal = robots.refusal(user_agent, url)
    return {
        "verdict": "allowed" if refusal is None else refusal[1],
        "status": row.status,
        "crawl_delay": robots.rules.crawl_delay(user_agent) if robots.rules else None,
        "expires": row.expires,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    from minicrawl.cli.output import printable

    lines = [printable(told["url"])]
    if told["state"] == "unknown":
        meaning = "no page read so far links to it" if told["reason"] == "no-link" else "it would not be followed"
        return [
            *lines,
            f"  unknown     {told['reason']}: {meaning}",
            *_trap_lines(told["trap"]),
            f"  robots.txt  {told['robots']['verdict']}",
        ]
    if told["title"]:
        lines.append(f"  {printable(told['title'])}")
    robots, host = told["robots"], told["host"]
    lines += [
        f"  state       {told['state']}, because {told['reason']}",
        *_trap_lines(told["trap"]),
        *_duplicate_lines(told),
        f"  importance  {told['importance']:.3g}, rank {told['rank']:,} of {told['known_pages']:,}",
        f"  cash        {told['cash']:,} units; history {told['history']:,.0f}",
        f"  ledger      received {told['received']:,}, forwarded {told['forwarded']:,} units",
        f"  found on    {printable(told['found_on'] or 'the seed list')}, {told['depth']} links from a seed",
        f"  host        {host['name']}: not to be asked before {_at(host['next_at'])}",
        f"  robots.txt  {robots['verdict']}"
        + (f", asks for {robots['crawl_delay']:g} s" if robots.get("crawl_delay") else ""),
    ]
    if told["fetched_at"] is not None:
        lines.append(
            f"  fetched     {_at(told['fetched_at'])}: {told['status']}, {told['content_type']}, "
            f"{told['bytes']:,} bytes in {told['seconds']:.2f} s"
        )
    lines.append(f"  links in    {told['inlinks']:,}" + _sample(told["linked_from"]))
    skipped = ", ".join(f"{count} {what}" for what, count in told["not_counted"].items() if count)
    lines.append(f"  links out   {told['outlinks'] or 0:,}" + (f"; not counted: {skipped}" if skipped else ""))
    lines[-1] += _sample(told["links_to"])
    return lines


def _trap_lines(trap: dict[str, Any] | None) -> list[str]:
    from minicrawl.cli.output import printable

    if trap is None:
        return []
    counts = trap["counts"]
    told = f"  trap        {trap['rule']}, pattern {printable(trap['pattern'])}"
    if counts is None:
        return [told]
    return [
        f"{told}: {counts['known']:,} URLs known, {counts['read']:,} read, {counts['repeated']:,} of them repeated "
        f"another page; {counts['dropped']:,} links dropped"
    ]


def _duplicate_lines(told: dict[str, Any]) -> list[str]:
    from minicrawl.cli.output import printable

    lines = []
    if (leader := told["duplicate_of"]) is not None:
        kind = "exact duplicate of {}" if leader["is_exact"] else "near-duplicate of {} (distance {})"
        lines.append(f"  duplicate   {kind.format(printable(leader['url']), leader['distance'])}")
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
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
