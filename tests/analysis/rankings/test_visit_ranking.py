"""Visits counted from logs that are drawn, or written by hand."""

import gzip
import random
from pathlib import Path
from time import gmtime, strftime

import pytest
from support.sites import Site, crawl, crawled_once

from minicrawl.analysis.link_graph import folded_pages
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.visit_ranking import VisitCounts, visit_ranking
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

A, B = "http://a.test/", "http://b.test/"
PAGES = [f"{A}{number}" for number in range(40)]
SITE: Site = {A: [*PAGES, A + "old", A + "q?a=1", A + "caf\u00e9"], A + "old": A + "3", A + "caf%C3%A9": []}
SITE |= {page: [A, "<p>" + " ".join(f"w{page[14:]}x{k}" for k in range(60))] for page in [*PAGES, A + "q?a=1"]}
BROWSER, BOT = "Mozilla/5.0 (X11)", "Examplebot/1.0"
store = crawled_once(SITE, [A])


def line(  # noqa: PLR0913 - a line has many fields
    target: str, at: float = 0, *, address: str = "192.0.2.1", agent: str = BROWSER, status: int = 200, host: str = "",
    method: str = "GET",
) -> str:  # fmt: skip
    stamp = strftime("%d/%b/%Y:%H:%M:%S +0000", gmtime(1_790_000_000 + at))
    return f'{host}{address} - - [{stamp}] "{method} {target} HTTP/1.1" {status} 9 "-" "{agent}"\n'


def ranked(store: Path, lines: list[str], **asked: object) -> tuple[dict[str, float], Found]:
    """The scores above 0, by path, and all that was found."""
    log = store.with_name("access.log")
    log.write_text("".join(lines), "utf-8")
    with open_store(store) as reader:
        found = visit_ranking(Options(log=(str(log),), **asked), reader, folded_pages(reader))  # type: ignore[arg-type]
        urls = list(reader.page_table.urls())
    scores = zip(urls, found[0]["visits"].tolist(), strict=True)
    return {url.removeprefix(A): score for url, score in scores if score}, found


def visits(store: Path, lines: list[str], **asked: object) -> dict[str, float]:
    """Visits by path: shares times their number."""
    scores, found = ranked(store, lines, **asked)
    number = int(found[1][0].split(": ")[1].split(" ")[0].replace(",", ""))
    return {path: round(score * number, 9) for path, score in scores.items()}


def test_visits_are_those_of_a_slow_count(store: Path) -> None:
    """A request is a visit unless the visitor asked for the page less than half an hour before."""
    rng, at = random.Random(2), 0.0
    asked: list[tuple[float, str, str]] = []
    for _ in range(800):
        at += rng.choice([1, 30, 600])
        asked.append((at, f"192.0.2.{rng.randrange(5)}", str(rng.randrange(6))))
    expected = dict.fromkeys(map(str, range(6)), 0)
    for index, (at, address, page) in enumerate(asked):
        before = [earlier for earlier, *same in asked[:index] if same == [address, page]]
        expected[page] += not before or at - before[-1] >= 1800
    assert visits(store, [line(f"/{page}", at, address=address) for at, address, page in asked]) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line("/1"), line("/1", 1799), line("/1", 3597), line("/1", 5397)], {"1": 2}),
        ([line("/1"), line("/1", address="192.0.2.2"), line("/1", agent=BROWSER + " Firefox/1")], {"1": 3}),
        ([line("/1", 9000), line("/1")], {"1": 2}),
        ([line("/1"), line("/old", 1), line("/3", 2)], {"1": 1, "3": 1}),
        ([line("/1?utm_source=x"), line("/q?a=1"), line("/./x/../2#top"), line("/caf\u00e9")],
         {"1": 1, "q?a=1": 1, "2": 1, "caf%C3%A9": 1}),
        ([line("/1"), line("/2", method="HEAD"), line("/3", method="POST"), line("/4", status=301)], {"1": 1}),
        ([line("/1", status=206), line("/2", status=304), line("/3", agent="-")], {"1": 1, "2": 1}),
        ([line("http://a.test/1"), line("http://b.test/1"), line("*"), line("/" + "x" * 9000)], {"1": 1}),
    ],
)  # fmt: skip
def test_visit_is_a_page_that_a_visitor_saw(store: Path, lines: list[str], expected: dict[str, float]) -> None:
    assert visits(store, lines) == expected


def test_blend_weighs_visits_beside_importance(store: Path) -> None:
    with open_store(store) as reader:
        importance = dict(zip(reader.page_table.urls(), reader.ranks.importance().tolist(), strict=True))
    del importance[A + "old"]
    total = sum(importance.values())
    scores, _ = ranked(store, [line("/1"), line("/1", 9000), line("/2")], blend=0.25)
    expected = {url.removeprefix(A): 0.75 * value / total for url, value in importance.items()}
    expected["1"] += 0.25 * 2 / 3
    expected["2"] += 0.25 / 3
    assert scores == pytest.approx(expected)


def test_what_was_counted_is_told(store: Path) -> None:
    lines = [line("/1"), line("/1", 1), line("/2", agent=BOT), line("/3", status=404), line("/none"), "nonsense\n"]
    _, found = ranked(store, lines)
    assert found[1][0] == (
        "6 lines: 1 visit to 1 page; not counted: 1 by bots, 1 that showed no page, 1 of URLs that the crawl does not "
        "know, 1 repeated within half an hour, 1 that are not requests"
    )
    assert found[1][1].startswith("importance and visits of 43 pages of the hosts visited: ")


def test_log_without_hosts_needs_a_site_where_there_are_several(tmp_path: Path) -> None:
    crawl({A: [A + "1", B], A + "1": [], B: [B + "1"], B + "1": []}, tmp_path / "crawl.db", [A])
    lines = [line("/1")]
    assert visits(tmp_path / "crawl.db", lines, site="https://b.test/any") == {B + "1": 1}
    for asked, problem in (
        ({}, ".* has pages of several hosts; name the one with this log by --site URL"),
        ({"site": "b.test"}, "--site 'b.test' is not a URL; give one such as https://example.com/"),
        ({"site": "http://c.test/"}, "no visit to a page: 1 line: .* or another host with --site"),
    ):
        with pytest.raises(SettingError, match=problem):
            ranked(tmp_path / "crawl.db", lines, **asked)


STAMP = "01/Nov/2026:12:00:05 +0000"


@pytest.mark.parametrize(
    "stray",
    [
        "",
        "hello",
        f'192.0.2.7 - - [{STAMP}] "GET / HTTP/1.1" 200 9',
        f'192.0.2.7 - - [{STAMP}] "GET / HTTP/1.1" OK 9 "-" "Mozilla/5.0"',
        f'192.0.2.7 - - [{STAMP}] "GET / HTTP/1.1" 200 9 "-" "unfinished',
        f'192.0.2.7 - - [{STAMP.replace("01", "32", 1)}] "GET / HTTP/1.1" 200 9 "-" "Mozilla/5.0"',
        f'192.0.2.7 - - [{STAMP.replace("Nov", "Mai")}] "GET / HTTP/1.1" 200 9 "-" "Mozilla/5.0"',
        '{"remote_addr": "192.0.2.7", "request": "GET / HTTP/1.1"}',
        "x" * 2**20,
        '"' * 10_000,
        "192.0.2.7 - - [" * 10_000,
        f'192.0.2.7 - - [{STAMP}] "GET / HTTP/1.1" 200 9 "' + "\\" * 60_001,
    ],
)
def test_line_that_is_no_request_is_counted(store: Path, stray: str) -> None:
    scores, found = ranked(store, [line("/1"), stray + "\n", line("/1", 1)])
    assert scores == {"1": 1.0}
    assert not found[1][0].endswith(" 0 that are not requests")


@pytest.mark.parametrize("zone", ["+0000", "-0700", "+0530", "-0330"])
def test_time_has_its_zone(store: Path, zone: str) -> None:
    hours = int(zone[:3]) + int(zone[0] + zone[3:]) / 60
    assert visits(store, [line("/1"), line("/1", 1_799 + 3600 * hours).replace("+0000", zone)]) == {"1": 1}
    assert visits(store, [line("/1"), line("/1", 1_800 + 3600 * hours).replace("+0000", zone)]) == {"1": 2}


@pytest.mark.parametrize(
    ("agent", "is_bot"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36", False),
        ("Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)", False),
        ("Opera/9.80 (Windows NT 6.1) Presto/2.12 Version/12.16", False),
        ('Mozilla/5.0 \\"quoted\\"', False),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", True),
        ("Mozilla/5.0 (compatible; Yahoo! Slurp)", True),
        ("minicrawl/0.1.0", True),
        ("curl/8.5.0", True),
        ("", True),
    ],
)
def test_bots_tell_themselves(store: Path, agent: str, is_bot: bool) -> None:
    assert visits(store, [line("/1"), line("/2", agent=agent)]) == ({"1": 1} if is_bot else {"1": 1, "2": 1})


def test_packed_log_is_read_and_one_that_cannot_be_is_named(store: Path, tmp_path: Path) -> None:
    whole, cut, none = (tmp_path / name for name in ("whole.log.gz", "cut.log.gz", "none.log"))
    packed = gzip.compress(line("/1").encode())
    whole.write_bytes(packed + packed)
    cut.write_bytes(packed[:-9])
    with open_store(store) as reader:
        pages = folded_pages(reader)
        assert visit_ranking(Options(log=(str(whole),)), reader, pages)[1][0].startswith("2 lines: 1 visit to 1 page")
        for log in (cut, none, tmp_path):
            with pytest.raises(SettingError, match=f"--log {log} cannot be read: "):
                visit_ranking(Options(log=(str(log),)), reader, pages)
        (tmp_path / "bytes").write_bytes(bytes(range(256)) * 9)
        with pytest.raises(SettingError, match=r"no visit to a page: .*; name logs in Combined"):
            visit_ranking(Options(log=(str(tmp_path / "bytes"),)), reader, pages)


def test_memory_of_requests_is_bounded(store: Path) -> None:
    with open_store(store) as reader:
        counts = VisitCounts(reader, folded_pages(reader), None, most_recent=2)
        for target in ("/1", "/2", "/3", "/3", "/1"):
            counts.take(line(target).encode())
        assert counts.visits.sum() == 4
