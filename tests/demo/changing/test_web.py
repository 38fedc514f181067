"""Answers of the changing web at a time, and its noise."""

from itertools import pairwise
from typing import Any

import pytest

from minicrawl.crawler.html.parse import parse_html
from minicrawl.demo.changing.versions import MANNERS
from minicrawl.demo.changing.web import FASTEST, MEAN_INTERVAL, NOISES, ChangingWeb, moved
from minicrawl.demo.web import DemoWeb
from minicrawl.errors import SettingError

URL = "http://a.test/"


@pytest.mark.parametrize("kind", NOISES)
def test_differs_at_every_fetch_and_is_the_same_at_the_same_time(kind: str) -> None:
    makes = [NOISES[kind](URL, 1_800_000_000.0 + fetch) for fetch in range(20)]
    assert len(set(makes)) == 20
    assert makes[7] == NOISES[kind](URL, 1_800_000_007.0)


@pytest.mark.parametrize("kind", NOISES)
def test_has_no_links(kind: str) -> None:
    body = f"<p>Text</p>{NOISES[kind](URL, 1_800_000_000.5)}".encode()
    assert parse_html(body, URL, "text/html").outlinks == ()


def test_comments_stay_while_others_come() -> None:
    first, second = (NOISES["comments"](URL, float(written)) for written in (6401, 6405))
    assert second.startswith(first.removesuffix("</section>"))
    assert second.count("<p>") == first.count("<p>") + 4
    assert NOISES["comments"](URL, 6464.0).count("<p>") == 1


def test_a_rotating_list_varies_in_length() -> None:
    lengths = {NOISES["rotating list"](URL, float(time)).count("<li>") for time in range(200)}
    assert lengths == set(range(3, 9))


NOW, SPEED = 1_800_000_000.5, 1000.0


@pytest.fixture(scope="module")
def web() -> ChangingWeb:
    return ChangingWeb(DemoWeb.generate(seed=5, hosts=14, pages=1400), speed=SPEED)


def urls(web: ChangingWeb, *kinds: Any) -> list[str]:
    found = [page.url for page in web.web.pages() if web.life(page.url).kind in kinds]
    assert found
    return found


def body(web: ChangingWeb, url: str, now: float) -> bytes:
    return web.respond(url, {}, now).body


def test_rates_have_the_mean_that_the_speed_says(web: ChangingWeb) -> None:
    rates = [web.life(url).rate for url in urls(web, "plain", "goes", "moves", *NOISES)]
    assert sum(rates) / len(rates) == pytest.approx(SPEED / MEAN_INTERVAL, rel=0.2)
    assert 50 * min(rates) < max(rates) <= FASTEST * 1.0001


def test_a_plain_page_is_another_one_after_each_change_and_the_same_between(web: ChangingWeb) -> None:
    for url in urls(web, "plain")[:60]:
        changes = [NOW - 3000, *web.life(url).changes(NOW - 3000, NOW), NOW]
        bodies = [body(web, url, time) for time in changes[:-1]]
        assert all(one != other for one, other in pairwise(bodies))
        assert [body(web, url, after - 0.01) for after in changes[1:-1]] == bodies[:-1]
        assert body(web, url, NOW) == bodies[-1]


def test_links_change_with_some_changes_and_those_of_the_plain_web_stay(web: ChangingWeb) -> None:
    kept = changed = 0
    for url in urls(web, "plain")[:60]:
        base = set(parse_html(web.web.respond(url).body, url, "text/html").outlinks) - {url}
        times = [NOW - 3000, *web.life(url).changes(NOW - 3000, NOW)]
        links = [set(parse_html(body(web, url, time), url, "text/html").outlinks) - {url} for time in times]
        assert all(base <= some and len(some) <= len(base) + 2 for some in links)
        for one, other in pairwise(links):
            changed += one != other
            kept += one == other
    assert 0.15 < changed / (kept + changed) < 0.45


def test_a_noisy_page_differs_at_every_fetch_and_its_noise_apart_only_when_it_changes(web: ChangingWeb) -> None:
    for url in urls(web, *NOISES)[:60]:
        assert body(web, url, NOW) != body(web, url, NOW + 60)
        last = web.life(url).last_change(NOW)
        assert web.resource(url, NOW) == web.resource(url, last) != web.resource(url, last - 0.01)


def test_a_page_that_changes_in_bursts_is_quiet_for_most_of_the_time(web: ChangingWeb) -> None:
    for url in urls(web, "bursts"):
        life, year = web.life(url), 200.0 / web.life(url).rate
        changes = life.changes(NOW - year, NOW)
        assert 100 < len(changes) < 300
        gaps = sorted(after - before for before, after in pairwise(changes))
        assert sum(gaps[-10:]) > 0.6 * year
        middle = NOW - year / 3.0
        assert life.changes(NOW - year, middle) + life.changes(middle, NOW) == changes
        assert [life.last_change(at) for at in changes[:50]] == changes[:50]


def test_a_host_has_a_pace_of_its_own(web: ChangingWeb) -> None:
    host = web.web.hosts[0]
    fast = ChangingWeb(web.web, speed=SPEED, paces={host: 0.5})
    url, other = f"http://{host}/", f"http://{web.web.hosts[1]}/"
    assert fast.life(url).rate == pytest.approx(0.5 * web.life(url).rate)
    assert fast.life(other) == web.life(other)


def test_a_page_that_goes_comes_back(web: ChangingWeb) -> None:
    for url in urls(web, "goes"):
        turns = web.life(url).away.turns(NOW - 1e6, NOW + 1e6)
        statuses = {web.respond(url, {}, turn + 0.5).status for turn in turns}
        assert statuses == {200, 404}
        assert all(web.respond(url, {}, turn - 0.5).status != web.respond(url, {}, turn).status for turn in turns)


def test_a_page_that_moves_stands_at_one_address_and_leads_there_from_the_other(web: ChangingWeb) -> None:
    for url in urls(web, "moves"):
        away = web.life(url).away
        left, back = away.turns(NOW - 1e7, NOW)[-2:]
        here, there = web.respond(url, {}, left), web.respond(moved(url), {}, left)
        if not away.is_away(left):
            left, back = back, left
            here, there = web.respond(url, {}, left), web.respond(moved(url), {}, left)
        assert (here.status, there.status) == (301, 200)
        assert moved(url).endswith(here.headers["Location"])
        here, there = web.respond(url, {}, back), web.respond(moved(url), {}, back)
        assert (here.status, there.status) == (200, 301)
        assert web.life(moved(url)) == web.life(url)


@pytest.mark.parametrize("manner", MANNERS)
def test_what_a_page_says_of_its_version_comes_back_as_304_until_it_changes(web: ChangingWeb, manner: str) -> None:
    """But of hosts that say no version, or 304 of all; sent back as a crawler would, field by field."""
    url = next(url for url in urls(web, "plain") if web.manner(url) == manner and web.life(url).rate < 0.02)
    last = web.life(url).last_change(NOW)
    fields = web.respond(url, {}, last).headers
    names = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
    asked = {names[name]: value for name, value in fields.items() if name in names}
    later = web.life(url).changes(NOW, NOW + 86_400)[0]
    same, other = (web.respond(url, asked, time).status for time in (last + 0.5, later))
    never, always = {"nothing", "stuck ETag", "new ETag"}, {"always 304"}
    assert same == (200 if manner in never else 304)
    assert other == (304 if manner in always else 200)


def test_a_304_has_no_body_and_says_the_version(web: ChangingWeb) -> None:
    url = next(url for url in urls(web, "plain") if web.manner(url) == "nginx")
    reply = web.respond(url, {}, NOW)
    again = web.respond(url, {"If-None-Match": reply.headers["ETag"]}, NOW)
    assert (again.status, again.body) == (304, b"")
    assert again.headers == {name: reply.headers[name] for name in ("ETag", "Last-Modified")}


def test_the_etag_of_a_noisy_page_is_that_of_its_version_on_half_of_them_and_of_its_bytes_on_others(
    web: ChangingWeb,
) -> None:
    noisy = [url for url in urls(web, *NOISES) if web.manner(url) in ("nginx", "Apache", "weak ETag")]
    for url in noisy:
        last = web.life(url).last_change(NOW)
        fields = web.respond(url, {}, last).headers
        assert "Last-Modified" not in fields
        asked = {"If-None-Match": fields["ETag"]}
        assert web.respond(url, asked, last + 0.5).status == (304 if web.has_stable_etag(url) else 200)
        assert web.respond(url, asked, last - 0.5).status == 200
    assert 0.3 < sum(map(web.has_stable_etag, noisy)) / len(noisy) < 0.7


def test_two_webs_agree_and_another_seed_makes_another(web: ChangingWeb) -> None:
    again = ChangingWeb(DemoWeb.generate(seed=5, hosts=14, pages=1400), speed=SPEED)
    other = ChangingWeb(again.web, seed=1, speed=SPEED)
    asked = list(web.importance(NOW))[::9]
    assert [web.respond(url, {}, NOW) for url in asked] == [again.respond(url, {}, NOW) for url in asked]
    assert [web.respond(url, {}, NOW) for url in asked] != [other.respond(url, {}, NOW) for url in asked]


def test_importance_follows_the_links(web: ChangingWeb) -> None:
    one, other = web.importance(NOW), web.importance(NOW + 5000)
    assert sum(one.values()) == pytest.approx(1.0)
    assert one.keys() & other.keys() >= web.web.truth().keys()
    assert one != other


def test_what_is_no_page_never_changes(web: ChangingWeb) -> None:
    asked = [f"http://{web.web.hosts[0]}/robots.txt", f"{web.web.calendar}2026/11", "http://unknown.test/"]
    for url in asked:
        assert web.respond(url, {}, NOW).body == web.respond(url, {}, NOW + 1e6).body == web.web.respond(url).body
        assert web.life(url).changes(NOW - 1e6, NOW) == []


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf"), 1e7, 5e-324])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with pytest.raises(SettingError, match=r"the speed must be from 0\.001 to 1,000,000, not "):
        ChangingWeb(DemoWeb.generate(hosts=2, pages=20), speed=speed)
