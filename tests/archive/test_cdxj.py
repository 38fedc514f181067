"""The index: keys, order, looking up."""

import random
from pathlib import Path
from typing import Any

import pytest

from minicrawl.archive import cdxj
from minicrawl.archive.cdxj import Captured, Index, surt
from minicrawl.errors import SettingError

# Keys as pywb makes them.
KEYS = {
    "http://example.org/": "org,example)/",
    "https://www.Example.org": "org,example)/",
    "http://www2.example.org/A/B/": "org,example)/a/b",
    "http://a.b.example.co.uk:8080/x?b=2&a=1": "uk,co,example,b,a:8080)/x?a=1&b=2",
    "https://h.test:443/x": "test,h)/x",
    "http://h.test/operator%3D=%7Ea%20%22?b=%25&a=%C3%BC": 'test,h)/operator==~a%20"?a=%c3%bc&b=%25',
    "http://h.test/api//java///io?u=http://x/": "test,h)/api/java/io?u=http://x/",
    "http://h.test/a%2520b": "test,h)/a%20b",
    "http://127.0.0.1:81/": "1,0,0,127:81)/",
}


@pytest.mark.parametrize(("url", "key"), KEYS.items())
def test_keys_are_those_of_other_archives(url: str, key: str) -> None:
    assert surt(url) == key


def captured(number: int, **facts: Any) -> Captured:
    one = Captured(
        f"http://h{number % 7}.test/{number}", "20261121000000", "text/html", 200, "sha1:X", "f", number, 9, False
    )
    return one._replace(**facts)


def test_an_index_is_sorted_and_has_every_line_once_whatever_the_order_and_the_parts(tmp_path: Path) -> None:
    index, rng = tmp_path / "indexes/index.cdxj", random.Random(5)
    lines = [cdxj.line(captured(number)) for number in range(500)]
    for start in range(0, 500, 100):
        some = lines[start : start + 130]
        rng.shuffle(some)
        cdxj.merge(index, some)
    assert index.read_text().splitlines() == sorted(lines)
    assert [path.name for path in index.parent.iterdir()] == ["index.cdxj"]
    assert cdxj.merge(index, lines[:3], is_anew=True) == 3


def test_urls_are_found_with_all_their_dates(tmp_path: Path) -> None:
    index = tmp_path / "index.cdxj"
    kept = [captured(number, stamp=f"2026112100000{again}") for number in range(200) for again in (2, 0, 1)]
    cdxj.merge(index, map(cdxj.line, kept))
    found = Index(index)
    for number in range(200):
        same = sorted((one for one in kept if one.start == number), key=lambda one: one.stamp)
        assert found.find(captured(number).url) == same
    assert found.find("http://h0.test/nowhere") == found.find("http://zzz.test/") == found.find("http://0.a/") == []
    assert set(found) == set(kept)
    found.close()


def test_http_and_https_have_one_key_and_are_two_urls(tmp_path: Path) -> None:
    both = [captured(1, url=f"{scheme}://h.test/") for scheme in ("http", "https")]
    cdxj.merge(tmp_path / "index.cdxj", map(cdxj.line, both))
    index = Index(tmp_path / "index.cdxj")
    assert index.find("https://h.test/") == both[1:]
    assert list(index.with_key("test,h)/")) == both


def test_an_index_without_lines_has_nothing(tmp_path: Path) -> None:
    assert Index(tmp_path / "nowhere").find("http://h.test/") == []
    (tmp_path / "empty").touch()
    assert list(Index(tmp_path / "empty")) == []


def test_a_revisit_keeps_its_status_and_type() -> None:
    revisit = captured(1, is_revisit=True, status=301)
    assert '"mime": "warc/revisit"' in cdxj.line(revisit)
    assert cdxj.read(cdxj.line(revisit)) == revisit


@pytest.mark.parametrize("text", ["", "!meta 0 {}", " CDX N b a", "a)/ 2026 {", 'a)/ 2026 {"url": "x"}', "a)/ 2026 []"])
def test_lines_of_other_kinds_are_passed_over(text: str) -> None:
    assert cdxj.read(text) is None


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("2026", "20260101000000"),
        ("2026-11-21", "20261121000000"),
        ("2026-11-21T11:02:03Z", "20261121110203"),
        ("2026-11-21 11:02", "20261121110200"),
        ("20261121110203", "20261121110203"),
    ],
)
def test_dates_may_be_given_in_part(text: str, digits: str) -> None:
    assert cdxj.parse_stamp(text) == digits


@pytest.mark.parametrize("text", ["", "yesterday", "202", "2026-13-01", "2026112111020304"])
def test_what_is_no_date_is_told(text: str) -> None:
    with pytest.raises(SettingError, match="a date is 2026-11-21"):
        cdxj.parse_stamp(text)


def test_the_answer_nearest_to_a_date_is_chosen_and_no_304() -> None:
    stamps = ("20260101000000", "20260601000000", "20261201000000")
    found = [captured(1, stamp=stamp, status=status) for stamp, status in zip(stamps, (200, 200, 304), strict=True)]
    assert cdxj.nearest(found, None) == cdxj.nearest(found, "20270101000000") == found[1]
    assert cdxj.nearest(found, "20260201000000") == found[0]
    assert cdxj.nearest(found[2:], None) == found[2]
    assert cdxj.nearest([], None) is None
