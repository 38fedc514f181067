"""A new kind of request joins the list, and the engine asks for it at its time."""

from pathlib import Path

import pytest
from support.sites import Server, Site, crawl

from minicrawl.crawler import run
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.request_kinds import requests_of
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.request import Deliver, HostTurns, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import PageRequest
from minicrawl.settings import CrawlSettings
from minicrawl.timing import Timing

SITE: Site = {f"http://h{host}.test/{page}": [f"/{page + 1}"] for host in range(3) for page in range(4)}
SEEDS = [f"http://h{host}.test/0" for host in range(3)]


class SecurityTxt(Kind):
    """What every host says of its security, asked for once per run."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._lined_up = 0
        self.statuses: dict[str, int | str | None] = {}

    def line_up(self, now: float) -> None:
        frontier = self._intake.state.frontier
        for host in frontier.hosts[self._lined_up :]:
            frontier.add_errand(host, SecurityTxtErrand(self, self._intake.turns, host), now)
        self._lined_up = len(frontier.hosts)


class SecurityTxtErrand(Request):
    waits = True

    def __init__(self, kind: SecurityTxt, turns: HostTurns, host: Host) -> None:
        super().__init__(turns, host, f"http://{host.name}/.well-known/security.txt")
        self._kind = kind

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._kind.statuses[self.host.name] = refusal.reason
        self.turns.frontier.end_turn(self.turn, now, asked=False)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched, _ = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self._kind.statuses[self.host.name] = self.fetched.status
        self.turns.answered(self.turn, self.fetched, now)


@pytest.mark.parametrize(
    ("robots", "status"), [("User-agent: *\nDisallow: /x", 404), ("User-agent: *\nDisallow: /.well-known", "robots")]
)
def test_a_new_kind_is_asked_for_once_per_host_behind_its_robots_txt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, robots: str, status: int | str
) -> None:
    kinds: list[SecurityTxt] = []

    def with_one_more(intake: Intake, settings: CrawlSettings, timing: Timing) -> DueRequests:
        requests = requests_of(intake, settings, timing)
        kinds.append(SecurityTxt(intake))
        requests.kinds.append(kinds[0])
        return requests

    monkeypatch.setattr(run, "requests_of", with_one_more)
    report, server = crawl(Server(SITE, robots), tmp_path / "crawl.db", SEEDS, probe=False)
    assert kinds[0].statuses == {f"h{host}.test": status for host in range(3)}
    found = [url for url in server.asked if url.endswith("security.txt")]
    assert len(found) == (3 if status == 404 else 0)
    assert len(server.asked_robots) == 3
    assert report.fetched == len(SITE) + 3  # and a last page that there is not
