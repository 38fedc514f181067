"""A crawl that respects a use: what its sites forbid is not fetched, and tdmrep.json is asked for as politely."""

import asyncio
from functools import partial
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from support import skipping
from support.preferring import FREE, HEADER, HOME, META, RESERVED, SIGNAL, SITE, TDMREP, Preferring
from support.sites import Reply, crawl, faults_in, rows

from minicrawl.analysis.explain import explain
from minicrawl.api import acrawl
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

OK, REFUSED, FORBIDDEN = ("fetched", "ok"), ("disallowed", "usage"), ("disallowed", "robots")
B = "http://b.test/"
respecting = partial(crawl, respect_usage="ai-train", timing=Timing(robots_retry=0.001), probe=False)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db"


def states(store: Path) -> dict[str, tuple[str, str]]:
    assert faults_in(store) == []
    return {url: (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM pages")}


def why(store: Path, url: str) -> str | None:
    with open_store(store) as reader:
        return explain(reader, url).rule


ONE_REFUSED = {url: REFUSED if url == FREE else OK for url in SITE}


@pytest.mark.parametrize("line", ["Content-Usage: /free train-ai=n", "Content-Signal: /free ai-train=no"])
def test_what_robots_txt_forbids_is_not_fetched(store: Path, line: str) -> None:
    server = Preferring(robots=f"User-agent: *\n{line}")
    respecting(server, store, [HOME])
    assert states(store) == ONE_REFUSED
    assert FREE not in server.asked
    assert why(store, FREE) == f"'{line}' of {HOME}robots.txt"


@pytest.mark.parametrize(
    ("respected", "refused"),
    [
        ((), []),
        ("search", [SIGNAL]),
        ("ai-input", [FREE]),
        (("search", "ai-input"), [SIGNAL, FREE]),
        ("ai-train", [FREE]),
    ],
)
def test_only_uses_that_are_respected_count(store: Path, respected: str | tuple[str, ...], refused: list[str]) -> None:
    """TDM is no search; and without a use that is respected no tdmrep.json is asked for."""
    files = {TDMREP: RESERVED.replace('"/"', '"/free"')}
    server = Preferring(robots="User-agent: *\nContent-Usage: /signal search=n", files=files)
    respecting(server, store, [HOME], respect_usage=respected)
    assert states(store) == {url: REFUSED if url in refused else OK for url in SITE}
    assert server.asked_files == ([TDMREP] if respected else [])


def test_what_robots_txt_forbids_stays_forbidden(store: Path) -> None:
    """A preference that allows a use widens nothing, and what may not be fetched has none."""
    robots = "User-agent: *\nContent-Usage: train-ai=y\nDisallow: /free\nContent-Usage: /free train-ai=n\n"
    files = {TDMREP: '[{"location": "/", "tdm-reservation": 0}]'}
    server = Preferring(robots=robots, files=files, headers={FREE: [("Content-Usage", "train-ai=y")]})
    respecting(server, store, [HOME])
    assert states(store) == {url: FORBIDDEN if url == FREE else OK for url in SITE}
    assert FREE not in server.asked


def test_a_use_is_respected_by_what_robots_txt_says(store: Path) -> None:
    with pytest.raises(SettingError, match=r"^--respect-usage goes by what robots\.txt says"):
        respecting(Preferring(), store, [HOME], ignore_robots=True)
    with pytest.raises(SettingError, match=r"^--respect-usage is one of search, ai-input, ai-train, not 'train'$"):
        respecting(Preferring(), store, [HOME], respect_usage="ai-train,train")


class Timed(Preferring):
    """Notes when each host was asked."""

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.times.setdefault(request.url.host, []).append(asyncio.get_running_loop().time())
        return super()._answer(request)

    times: dict[str, list[float]]


def test_with_all_defaults_no_host_is_asked_sooner_for_it(store: Path) -> None:
    """A small web, all delays included, to its natural end: a page, a redirect first, and nothing."""
    site: dict[str, Reply] = {**SITE, HOME: [*SITE[HOME], B], B: B + "x", B + "x": [HOME]}
    server = Timed(site, "User-agent: *\nContent-Usage: /free train-ai=n", {TDMREP: RESERVED.replace('"/"', '"/meta"')})
    server.times = {}
    report = skipping.run(
        acrawl([HOME, "http://none.test/"], store, transport=server, respect_usage="ai-train"), grace=0.0
    )
    assert report.reason == "nothing-left"
    found = states(store)
    assert {url for url, state in found.items() if state == REFUSED} == {FREE, META}
    assert {found[url] for url in (HOME, HEADER, SIGNAL)} == {OK}
    assert [url for url in server.asked_files if url.startswith(HOME)] == [TDMREP]
    gaps = [later - earlier for times in server.times.values() for earlier, later in pairwise(times)]
    assert len(gaps) > 6
    assert min(gaps) >= 1.0
