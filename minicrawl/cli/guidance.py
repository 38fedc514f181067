"""Guidance around a crawl: its plan before it begins, commands to continue with when it ends, and advice if it came to
nothing."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from minicrawl.cli.output import called_as
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.settings import CrawlSettings
from minicrawl.settings.options import LINKED
from minicrawl.store.folder import is_folder

if TYPE_CHECKING:
    from minicrawl.analysis.top import TopList
    from minicrawl.crawler.run import Before, Start
    from minicrawl.model import CrawlReport
    from minicrawl.store.reader import Store

Step = tuple[str, Sequence[str]]
"""A reason to call a command, and the command's words without the program and the store."""

IN_THE_BROWSER: Step = ("See the crawl in the browser:", ("dashboard", "--open"))
_STEPS = 3
_PLACES = {"site": "site", "host": "host", "prefix": "folder", LINKED: "site"}
_LIMITED = "stopped at its limit"
_ENDS = {
    "nothing-left": "was refreshed",  # as pages wait that were not to be refreshed
    "interrupted": "was interrupted",
    "patience": "ended with ill hosts",
    **dict.fromkeys(("pages", "time", "bytes", "coverage"), _LIMITED),
}
_ADVICE = {
    "dns-unanswered": "check that this machine is online",
    "robots": "ask its owner; --ignore-robots is only for your own servers",
    "robots-unreachable": "the next run tries again",
    "http-401": "--auth logs in (docs/logins.md)",
    "http-403": "some sites require a contact: --contact ADDRESS",
    "http-404": "check its spelling",
    "http-429": "the next run tries again, and less often with --delay 10",
    "redirect-loop": "if it requires its cookies, --cookies sends them",
    "redirect-scope-site": "start at {leads_to}, or without --scope",
    "redirect-scope-host": "start at {leads_to}, or without --scope",
    "redirect-scope-prefix": "start at {leads_to}, or with --scope host",
}
"""Advice where no page could be read, by the reason. leads_to: the target of a redirect."""

_ALONE = "Only one page was read. If its scripts write links, crawl it with --render auto into another --store."
_ALONE_RENDERED = "Only one page was read. What its scripts show only after a click or a POST request was not."


@dataclass
class Guide:
    """What a run of a crawl tells its user besides its results.

    path: of the store. option: names the store in commands, if they need it. start: None until the run has begun.
    """

    path: Path
    option: Sequence[str]
    start: "Start | None" = None

    def plan(self, start: "Start") -> Iterator[str]:
        """What the run is going to do; of a crawl that continues, how far it is."""
        if start.before is not None and (start.before.read or not start.seeds.urls):
            yield _resumed(start.before, self.path, has_seeds=bool(start.seeds.urls))
            if start.settings.delay != CrawlSettings.delay:
                yield _asked(start.settings, is_nameless=False)
            return
        settings = start.settings
        yield _followed(start.seeds.urls, settings)
        yield _asked(settings, is_nameless=start.is_nameless)
        kept = f"{self.path}, and answers in {settings.archive}" if settings.archive else str(self.path)
        shown = f", '{typed(('dashboard', '--open'), self.option)}' shows it"
        again = typed(("crawl",), self.option)
        yield f"Keeps everything in {printable(kept)}: Ctrl-C stops it, '{again}' continues{shown}."

    def next_steps(
        self, best: "TopList", report: "CrawlReport", left_out: int = 0, *, has_shell: bool = False
    ) -> Iterator[str]:
        """Commands to continue with. best: one page at least. left_out: pages that wait, and will not be read.
        has_shell: the end has said that a page needs its scripts."""
        if self.start is None:
            return
        first, settings = best.lines[0], self.start.settings
        waiting = 0 if best.order is None else max(best.order.waiting - left_out, 0)
        render = settings.shown().get("render")  # of a part
        if render is not None and report.read == 1 and first.page.reason == "ok" and not waiting and not has_shell:
            yield ""
            yield _ALONE_RENDERED if render else _ALONE
        yield ""
        file = "ranks.csv"
        if is_folder(self.path):
            file = "ranks.parquet"
            words = ("gather", str(self.path), "crawl.db")
            yield from step_lines([("Make one store of all, to search, audit and export:", words)], ())
            settings = replace(settings, audit=False, search=False)
        yield from step_lines(_steps(settings, first.page.url, waiting, file), self.option)

    def stays_finished(self, report: "CrawlReport") -> bool:
        """True if the crawl was finished before the run, and has pages, but nothing new."""
        before = None if self.start is None else self.start.before
        return before is not None and before.is_finished and report.read > 0 and report.known == before.known

    def came_to_nothing(self, report: "CrawlReport", reason: str, reader: "Store | None" = None) -> str:
        """The error of a run that fetched or read nothing, mostly for this reason. reader: None for partitions."""
        from minicrawl.reasons import meaning

        url, links = next(iter(() if self.start is None else self.start.seeds.urls), "URL"), None
        if reader is not None:
            seed = next(iter(reader.page_table.seeds()), "URL")
            page, url = reader.row("SELECT id, url FROM pages WHERE reason = ? ORDER BY id", reason) or (None, seed)
            links = None if page is None else reader.link_table.row(page)
        leads_to = printable((links and links.leads_to) or "where it leads")
        told = "; ".join(filter(None, (meaning(reason), _ADVICE.get(reason, "").format(leads_to=leads_to))))
        return (
            f"nothing could be {'read' if report.fetched else 'fetched'} ({reason}){f': {told}' if told else ''}; "
            f"'{typed(('why', printable(url)), self.option)}' says more"
        )


def typed(words: Sequence[str], option: Sequence[str]) -> str:
    """A command as it is typed in the shell. option: names the store, if it must be named."""
    return " ".join([called_as(), *map(shlex.quote, (*words, *option))])


def step_lines(steps: Sequence[Step], option: Sequence[str]) -> Iterator[str]:
    """Two lines for each step: the reason, and the command below it."""
    for why, words in steps:
        yield why
        yield f"  {typed(words, option)}"


def _resumed(before: "Before", path: Path, *, has_seeds: bool) -> str:
    """ "Continues from data/crawl.db, which was finished: 13 of 14 known pages are read, 0 wait." """
    ended = "was finished" if before.is_finished else _ENDS.get(before.stopped or "", "was cut short")
    if before.stopped == "nothing-left" and before.ill:  # of partitions
        ended = _ENDS["patience"]
    read = f"{before.read:,} of {counted(before.known, 'known page')} {'is' if before.read == 1 else 'are'} read"
    waiting = f"{before.waiting:,} wait{'s' if before.waiting == 1 else ''}"
    if before.ill:
        waiting += f" ({before.ill:,} for ill hosts)"
    left_out = f", {before.left_out:,} left out" if before.left_out else ""
    line = f"Continues from {printable(str(path))}, which {ended}: {read}, {waiting}{left_out}"
    return f"{line}; another --store starts a new crawl." if has_seeds else f"{line}."


def _followed(seeds: Sequence[str], settings: CrawlSettings) -> str:
    """The links that a new crawl follows, and their order."""
    is_one = len(seeds) == 1
    named = printable(seeds[0]) if is_one else counted(len(seeds), "seed")
    order = "the most important page first"
    if settings.strategy != "greedy":
        order = f"in the order of --strategy {settings.strategy}"
    if settings.scope not in _PLACES:
        stay = f"--scope site stays on {'its site' if is_one else 'their sites'}"
        return f"Follows all links from {named}, {order}, and ranks what it finds; {stay}."
    place = f"the {_PLACES[settings.scope]}{'' if is_one else 's'} of {named}"
    checks = ", and checks those that leave it" if settings.scope == LINKED else ""
    return f"Follows links within {place}{checks}, {order}, and ranks what it finds."


def _asked(settings: CrawlSettings, *, is_nameless: bool) -> str:
    """How often a crawl sends requests to a host, and under which name."""
    if settings.from_archive:
        return f"Sends no requests: answers come from {printable(', '.join(map(str, settings.from_archive)))}."
    pace = f"at most once in {settings.delay:g} s" if settings.delay else "without a pause"
    if settings.delay == 1:
        pace = "at most once a second"
    robots = "whatever its robots.txt says" if settings.ignore_robots else "as its robots.txt allows"
    contact = "; --contact ADDRESS names you" if is_nameless else ""
    return f"Requests pages of each host {pace}, {robots}, as {printable(settings.agent)}{contact}."


def _steps(settings: CrawlSettings, first: str, waiting: int, file: str) -> list[Step]:
    """Commands that fit a crawl when it has stopped. first: URL of the best page; waiting: number of pages; file: to
    export to."""
    found: list[Step] = []
    if settings.audit:
        found.append(("See what to fix, the worst first:", ("audit",)))
    if settings.search:
        found.append(("Find pages by words:", ("search", "WORDS")))
    found.append(("See why the first page is the first:", ("why", first)))
    found.append(("Write every page with its rank to a file:", ("export", file)))
    found.append(IN_THE_BROWSER)
    if waiting:
        goes_on = f"Continue; {counted(waiting, 'page')} {'waits' if waiting == 1 else 'wait'}:"
        return [*found[: _STEPS - 1], (goes_on, ("crawl",))]
    return found[:_STEPS]
