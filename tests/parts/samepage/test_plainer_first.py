"""A page waits for the same URL without a parameter, and for no page that does not come."""

from pathlib import Path

import pytest
from support.made_webs.judged import wrong_books
from support.made_webs.web import HOST, MadeWeb, links_to
from support.sites import Server, crawl, rows, text

TOPICS = 12
REPLIES = [f"/topic/{topic}?reply={topic}" for topic in range(TOPICS)]


def site(robots: str = "") -> Server:
    """The front page links to a reply of each topic ten times, and to the topic once."""
    web = MadeWeb("A forum.")
    for topic, reply in enumerate(REPLIES):
        web.add(f"/topic/{topic}", f"Topic {topic}", web.text(topic))
        web.add(reply, f"Reply {topic}", web.text(reply))
    web.front(links_to([*REPLIES * 10, *(f"/topic/{topic}" for topic in range(TOPICS))]))
    return Server({}, absent=web.reply, beside={f"{HOST}/robots.txt": text(robots)})


def asked(server: Server) -> list[str]:
    return [url.removeprefix(HOST) for url in server.asked if "/topic/" in url and url[-1].isdecimal()]


def test_the_plainer_page_is_read_first(store: Path) -> None:
    crawl(server := site(), store, [f"{HOST}/"])
    order = asked(server)
    assert sorted(order) == sorted([*REPLIES, *(f"/topic/{topic}" for topic in range(TOPICS))])
    assert all(order.index(reply.partition("?")[0]) < order.index(reply) for reply in REPLIES)
    assert wrong_books(store) == []


def test_a_page_waits_for_none_that_may_not_be_read(store: Path) -> None:
    crawl(server := site("User-agent: *\nDisallow: /topic/\nAllow: /topic/*?"), store, [f"{HOST}/"])
    assert sorted(asked(server)) == sorted(REPLIES)


@pytest.mark.parametrize("pages", [1, 2, 5])
def test_a_page_that_waits_is_read_by_a_later_run(store: Path, pages: int) -> None:
    server = site()
    for _ in range(40):
        report, _ = crawl(server, store, [f"{HOST}/"], pages=pages)
        if report.reason == "nothing-left":
            break
    assert set(asked(server)) >= {*REPLIES}
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'waiting'") == [(0,)]
    assert wrong_books(store) == []
