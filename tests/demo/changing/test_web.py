"""Answers of the changing web at a time, and its noise."""

from itertools import pairwise
from typing import Any

import pytest

from minicrawl.demo.changing.web import ChangingWeb
from minicrawl.demo.web import DemoWeb

NOW, SPEED = 1_800_000_000.5, 1000.0


@pytest.fixture(scope="module")
def web() -> ChangingWeb:
    return ChangingWeb(DemoWeb.generate(seed=5, hosts=4, pages=100), speed=SPEED)


def urls(web: ChangingWeb, *kinds: Any) -> list[str]:
    found = [page.url for page in web.web.pages() if web.life(page.url).kind in kinds]
    assert found
    return found


def body(web: ChangingWeb, url: str, now: float) -> bytes:
    return web.respond(url, {}, now).body


def test_a_plain_page_is_another_one_after_each_change_and_the_same_between(web: ChangingWeb) -> None:
    for url in urls(web, "plain")[:60]:
        changes = [NOW - 3000, *web.life(url).changes(NOW - 3000, NOW), NOW]
        bodies = [body(web, url, time) for time in changes[:-1]]
        assert all(one != other for one, other in pairwise(bodies))
        assert [body(web, url, after - 0.01) for after in changes[1:-1]] == bodies[:-1]
        assert body(web, url, NOW) == bodies[-1]
