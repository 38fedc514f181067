"""minicrawl status"""

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.model import READ

if TYPE_CHECKING:
    from minicrawl.store.reader import Store

_TRAPS_SHOWN = 10
_HOSTS_SHOWN = 5


@click.command(short_help="Say what a crawl does or did.", epilog="Example: minicrawl status --store data/crawl.db")
@store_option
@json_option
@logging_options
def command(store: Path, as_json: bool) -> None:
    """Say what a crawl is doing or has done: pages, hosts, speed, failures, and why it stopped."""
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        status = _status(reader)
    click.echo(json.dumps(status, indent=2) if as_json else "\n".join(_lines(status)))


def _status(store: "Store") -> dict[str, Any]:
    counts = store.counts()
    states: dict[str, int] = {}
    for (state, _), count in counts.items():
        states[state] = states.get(state, 0) + count
    run = store.meta_json("run")
    is_running = store.is_in_use()
    return {
        "store": str(store.path),
        "running": is_running,
        "stopped": None if is_running else store.meta("stopped") or "killed",
        "known": sum(counts.values()),
        "read": sum(states.get(state, 0) for state in READ),
        "left_out": int(store.meta("links_left_out") or 0),
        "states": states,
        "reasons": {f"{state}/{reason}": count for (state, reason), count in counts.items()},
        "hosts": store.host_count(),
        "failing_hosts": [
            {"host": row.name, "failures": row.strains, "backoff": row.backoff, "dead_until": row.dead_until or None}
            for row in store.strained_hosts()
        ],
        "traps": [
            {"pattern": row.name, "rule": row.trap, "read": row.parsed, "dropped": row.dropped}
            for row in store.trap_patterns()
        ],
        "sitemaps": _sitemaps(store),
        "duplicates": dict(zip(("exact", "near"), store.duplicate_counts(), strict=True)),
        "probes": _probes(store),
        "run": run,
        "pages_per_second": run["fetched"] / run["seconds"] if run.get("seconds") else None,
        "last_commit": store.meta("run_at"),
    }


def _sitemaps(store: "Store") -> dict[str, Any]:
    """Sitemaps by what came of them, and those beyond the limits, of which nothing else is kept.

    URLs in them; of these, those that were in scope and not known, wait to become so, and became so.
    """
    rows = store.sitemaps()
    return {
        "reasons": dict(Counter(row.reason for row in rows)),
        "left_out": sum(store.meta_json("sitemaps_left_out").values()),
        "found": sum(row.found for row in rows),
        "queued": sum(row.queued for row in rows),
        "waiting": sum(count for count, _ in store.listed_counts().values()),
        "made_known": sum(row.made_known for row in rows),
    }


def _probes(store: "Store") -> dict[str, Any]:
    """How many pages that cannot exist were asked for, and the folders of hosts that answered with a page."""
    probes = store.probes()
    return {"asked": len(probes), "soft_404": sorted(row.folder for row in probes if row.verdict == "soft-404")}


def _lines(status: dict[str, Any]) -> list[str]:
    from minicrawl.cli.output import amount, counted, duration, graph_line, printable, read_line, silence_line, tally
    from minicrawl.model import GraphCounts, Silence

    run = status["run"]
    lines = [
        f"{status['store']}: {'running' if status['running'] else 'stopped: ' + str(status['stopped'])}",
        f"known     {counted(status['known'], 'page')} on {counted(status['hosts'], 'host')}: "
        f"{tally(status['states']) or 'none yet'}",
        f"reasons   {tally(status['reasons']) or 'none yet'}",
    ]
    failing = status["failing_hosts"]
    if failing:
        dead = sum(host["dead_until"] is not None for host in failing)
        shown = ", ".join(f"{printable(host['host'])} ({host['failures']} in a row)" for host in failing[:_HOSTS_SHOWN])
        more = f" and {len(failing) - _HOSTS_SHOWN:,} more" if len(failing) > _HOSTS_SHOWN else ""
        lines.append(f"failing   {len(failing):,} hosts, {dead:,} of them dead for now: {shown}{more}")
    sitemaps = status["sitemaps"]
    if sitemaps["reasons"]:
        lines.append(
            f"sitemaps  {tally(sitemaps['reasons'])}; {sitemaps['found']:,} URLs in them, "
            f"{sitemaps['waiting']:,} wait, {sitemaps['made_known']:,} became known"
        )
        if sitemaps["left_out"]:
            lines.append(
                f"          {sitemaps['left_out']:,} more sitemaps were left out: too many of a host, or too deep"
            )
    for trap in status["traps"][:_TRAPS_SHOWN]:
        lines.append(
            f"trap      {printable(trap['pattern'])}: {trap['rule']}; "
            f"{trap['read']:,} read, {trap['dropped']:,} links dropped"
        )
    if len(status["traps"]) > _TRAPS_SHOWN:
        lines.append(f"          and {len(status['traps']) - _TRAPS_SHOWN:,} more: see --json")
    if any(status["duplicates"].values()):
        lines.append(f"duplicates {status['duplicates']['exact']:,} exact, {status['duplicates']['near']:,} near")
    if status["probes"]["asked"]:
        lines.append(
            f"probes    {status['probes']['asked']:,} pages that cannot exist asked for, "
            f"{len(status['probes']['soft_404']):,} answered as if they did (soft 404)"
        )
    if run:
        speed = status["pages_per_second"]
        lines += [
            f"this run  {run['fetched']:,} pages, {amount(run['bytes'])} in {duration(run['seconds'])}"
            + (f", {speed:.1f} pages/s" if speed else ""),
            f"coverage  {read_line(status['known'], status['read'], run['coverage'], status['left_out'])}",
        ]
        if run.get("shape"):
            lines.append(f"shape     {graph_line(GraphCounts(**run['shape']))}")
        if status["running"] and run.get("silence"):
            lines.append(f"paused    {silence_line(Silence(**run['silence']))}")
        if status["running"]:
            ago = max(0.0, time.time() - float(status["last_commit"]))
            lines.append(f"now       {run['in_flight']} requests in flight; last commit {ago:.0f} s ago")
    return lines
