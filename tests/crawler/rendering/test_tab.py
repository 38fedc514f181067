"""A page is not ready before Chromium has the answers that its scripts wait for."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from support.patience import PATIENCE
from support.rendered import HOST, with_chromium

from minicrawl.crawler.rendering.page_requests import Resource
from minicrawl.crawler.rendering.tab import TabRequests


class Asked:
    """A request of a page for a kind of resource, as playwright hands it over. Chromium says its fields once
    `has_fields` is set, and takes the answer once `takes` is."""

    def __init__(self, kind: str) -> None:
        frame = SimpleNamespace(url=f"{HOST}/", parent_frame=None)
        self.request: Any = SimpleNamespace(url=f"{HOST}/x", resource_type=kind, method="GET", frame=frame)
        self.request.is_navigation_request = lambda: False
        self.request.all_headers = self._fields
        self.has_fields, self.takes, self.is_offered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def _fields(self) -> dict[str, str]:
        await self.has_fields.wait()
        return {}

    async def fulfill(self, **_: object) -> None:
        self.is_offered.set()
        await self.takes.wait()

    async def abort(self, reason: str) -> None:
        await self.fulfill()


async def answer(by: str, kind: str, method: str, url: str, headers: dict[str, str]) -> Resource | None:
    return None if url.endswith("/none") else Resource(url, 200, {}, b"1")


@with_chromium
@pytest.mark.parametrize(("kind", "counts"), [("script", True), ("fetch", True), ("image", False)])
async def test_an_answer_is_waited_for_until_chromium_has_it(kind: str, counts: bool) -> None:
    requests, asked = TabRequests(Resource(f"{HOST}/", 200, {}, b""), answer), Asked(kind)
    async with asyncio.timeout(PATIENCE):
        task = asyncio.ensure_future(requests.on_request(asked))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        assert requests.must_come(whole=False) is counts
        asked.has_fields.set()
        await asked.is_offered.wait()
        assert requests.must_come(whole=False) is counts
        asked.takes.set()
        await task
    assert not requests.must_come(whole=False)
    assert bool(requests.answered) is counts
