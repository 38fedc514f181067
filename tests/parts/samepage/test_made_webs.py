"""Of made sites that show pages under many URLs, or only look like that, every wanted page is read and little else."""

from pathlib import Path

import pytest
from support.made_webs import MADE, read_by_crawl
from support.made_webs.web import ENDLESS, HOME, links_of
from support.prose import prose
from support.sites import Server, Site, crawl

DEAR = {"forum", "maze_of_one_text", "messages_beside_issues", "news", "revisions_before_names", "talk"}
"""Sites of which more is read than should be: 187, 329, 160, 151, 498 and 155 requests."""
DEAREST = {"repository", "repository_by_view"}
"""Sites of which much more is read, 774 and 410 requests: each version of a file is a text that no page had."""
LOSSES = {"names_in_query"}
"""Sites that lose pages: these differ by words of their own query and by one number."""
LONG = {"maze_of_one_text", "maze_of_random_text", "repository", "repository_by_view"}
"""Sites whose crawl takes seconds."""


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if name in LONG else []


@pytest.mark.parametrize("name", [pytest.param(name, marks=_marks(name)) for name in MADE])
def test_what_a_reader_wants_is_read_with_few_requests(name: str, store: Path) -> None:
    web = MADE[name](0)
    read = read_by_crawl(web, store)
    assert (read.lost == []) == (name not in LOSSES)
    most = web.most * (5 if name in DEAREST else 2 if name in DEAR else 1)
    assert read.requests <= most, f"{read.waste:.0%} of them gave nothing"


@pytest.mark.parametrize("name", MADE)
def test_links_lead_to_all_that_is_wanted(name: str) -> None:
    """Whoever follows every link finds it; a site that is another at each request would prove nothing."""
    web = MADE[name](1)
    unread = {web.says(key, web.answer(key)) for key in web.wanted}
    assert None not in unread
    queue = ["/"]
    known = set(queue)
    for key in queue:
        answer = web.answer(key)
        assert answer == web.answer(key)
        unread.discard(web.says(key, answer))
        if not unread or len(queue) > 10 * ENDLESS:
            break
        queue += dict.fromkeys(link for link in links_of(key, answer) if link not in known)
        known.update(queue)
    assert unread == set()


def test_each_site_says_what_it_is_for() -> None:
    assert [name for name, make in MADE.items() if not make(0).purpose.endswith(".")] == []


def test_a_page_that_nobody_links_to_is_lost(store: Path) -> None:
    """And nothing else of its site, of which no request is waste."""
    web = MADE["one_link"](0)
    web.add("/hidden", "Hidden", web.text("hidden"))
    read = read_by_crawl(web, store)
    assert (read.wanted, read.lost, read.requests, read.waste) == (3, ["/hidden"], 2, 0.0)
    assert read.ended


@pytest.mark.parametrize(("texts", "are_read"), [(1, False), (2, True)])
def test_the_order_of_parameters_is_nothing_beside_pictures_by_lot(texts: int, are_read: bool, store: Path) -> None:
    orders = [[f"{HOME}list?a=1&b={each}" for each in range(60)], [f"{HOME}list?b={each}&a=1" for each in range(60)]]
    site: Site = {HOME: orders[0]}
    for order, each in ((order, each) for order in (0, 1) for each in range(60)):
        picture = f"<title>{each}</title><img src=//{order}.pics.test/a>"
        site[orders[order][each]] = [picture, prose(each * texts + order % texts, 60), orders[1][each]]
    _, server = crawl(Server(site), store, [HOME])
    assert (sum("&a=1" in url for url in server.asked) > 30) == are_read
