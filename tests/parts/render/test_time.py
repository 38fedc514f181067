"""The time that experiments may take, by a clock that skips what nobody waits for; Chromium's place is taken."""

import asyncio
from pathlib import Path

import pytest
from support.rendered import with_chromium
from support.scripted_webs import own_words
from support.sites import Site, crawl, rows

from minicrawl.model import Fetched
from minicrawl.parts.part import own
from minicrawl.parts.render import RenderSettings, renderer
from minicrawl.parts.render.choice import Choice
from minicrawl.settings import CrawlSettings
from minicrawl.web.http.transport import Parts

SECONDS = 5.0
"""Of a rendering."""
SHARE = 20
HOSTS = 30


class SlowRenderer(renderer.Renderer):
    """Shows pages as they were sent, after a time."""

    def __init__(self, settings: CrawlSettings, *_: object, seconds: float) -> None:
        self.choice = Choice(own(settings, RenderSettings).render)

    async def rendered(self, fetched: Fetched, **_: object) -> tuple[Fetched, Parts]:
        await asyncio.sleep(SECONDS)
        return fetched._replace(body=bytes(bytearray(fetched.body))), Parts()

    def has_routes(self, url: str) -> bool:
        return False

    async def aclose(self) -> None:
        """It has nothing."""


def web() -> Site:
    """A seed that links to front pages of other hosts, each with scripts of its own and two more pages."""
    hosts = [f"http://h{number}.test/" for number in range(HOSTS)]
    site: Site = {"http://seed.test/": [f"<p>{own_words('seed')}</p>", *hosts]}
    for number, host in enumerate(hosts):
        site[host] = [f"<p>{own_words(f'h{number}')}</p><script>own{number}()</script>", f"{host}1", f"{host}2"]
        site |= {f"{host}{page}": [f"<p>{own_words(f'h{number}p{page}')}</p>"] for page in (1, 2)}
    return site


@with_chromium
@pytest.mark.parametrize("delay", [0.0, 30.0, 300.0])
def test_samples_of_hosts_without_a_seed_take_a_twentieth_of_the_time(
    delay: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderer, "Renderer", SlowRenderer)
    store = tmp_path / "crawl.db"
    report, _ = crawl(web(), store, ["http://seed.test/"], render="auto", scope="any", delay=delay)
    ((samples,),) = rows(store, "SELECT sum(rendered) FROM rendered")
    assert report.fetched == 1 + 3 * HOSTS
    assert SHARE * SECONDS * (samples - 1) <= report.seconds
    assert samples > (1 if delay > SHARE * SECONDS else 0)
