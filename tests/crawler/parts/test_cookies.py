"""Cookies of a crawl in partitions: each has those of its hosts, and none writes the user's file."""

from pathlib import Path

import pytest
from support.intakes import intake_of

from minicrawl.crawler.http.saved_cookies import read_cookie_file
from minicrawl.crawler.parts.cookies import Cookies
from minicrawl.crawler.sharing.share import Share

LINE = "{}\tFALSE\t/\tFALSE\t0\tname\tvalue\n"


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, ["a.test", "b.test"]), (Share(0, lambda url: int("b.test" in url)), ["a.test"])],
    ids=["alone", "in partitions"],
)
def test_a_partition_has_the_cookies_of_its_hosts(tmp_path: Path, share: Share | None, expected: list[str]) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text(LINE.format("a.test") + LINE.format("b.test"))
    intake = intake_of(tmp_path / "crawl.db", share=share, cookie_file=str(file))
    cookies = intake.parts.find(Cookies)
    assert cookies is not None
    assert sorted(row.domain for row in cookies.rows()) == expected
    file.unlink()
    intake.parts.finish()
    assert len(read_cookie_file(file)) == (0 if share else 2)
    intake.state.writer.close()
