"""Requests for the files that pages need: their limits, their failures, and runs that go on."""

from collections import Counter
from pathlib import Path

import httpx
import pytest
from support.archives import answers, complaints
from support.dying import killed_at
from support.requisites import crawl_whole, file, files_of
from support.sites import rows

A, B = "http://a.test/", "http://b.test/"
PICTURES = [f"{A}{number}.png" for number in range(8)]
GALLERY = {
    A: "".join(f"<img src={url}>" for url in PICTURES) + "<a href=two>2</a><a href=three>3</a>",
    A + "two": f"<img src={B}two.png>",
    A + "three": f"<img src={B}three.png>",
    B + "two.png": b"2",
    B + "three.png": b"3",
    **dict.fromkeys(PICTURES, b"picture"),
}


def waiting(folder: Path) -> list[str]:
    return [
        url for (url,) in rows(folder / "crawl.db", "SELECT url FROM requisites WHERE state = 'waiting' ORDER BY id")
    ]


def test_a_crawl_that_has_its_pages_ends_once_they_have_what_they_need(tmp_path: Path) -> None:
    report, server = crawl_whole(GALLERY, tmp_path, A, pages=2)
    assert (report.reason, report.fetched) == ("pages", 2)
    asked_once = [url for url, times in Counter(server.asked).items() if times == 1]
    assert set(PICTURES) < set(asked_once)
    assert waiting(tmp_path) == []
    _, server = crawl_whole(GALLERY, tmp_path, A, pages=5)
    assert len(server.asked) == 2, "the third page, and the picture that it alone needs"


def test_time_ends_a_crawl_and_the_next_one_goes_on(tmp_path: Path) -> None:
    report, server = crawl_whole(GALLERY, tmp_path, A, pages=1, time=4.0)
    assert report.reason == "time"
    left = waiting(tmp_path)
    assert 0 < len(left) < len(PICTURES)
    _, again = crawl_whole(GALLERY, tmp_path, A, pages=1)
    assert Counter(url for url in server.asked + again.asked if url in PICTURES) == Counter(PICTURES)


def test_passing_failures_are_tried_again_in_a_later_run(tmp_path: Path) -> None:
    site = files_of({A: f"<img src=busy.png><img src={B}gone.png>", A + "busy.png": 503})
    crawl_whole(site, tmp_path, A)
    assert Counter(site.asked)[A + "busy.png"] == 1
    site.site[A + "busy.png"] = file(A + "busy.png", b"there")
    crawl_whole(site, tmp_path, A)
    assert rows(tmp_path / "crawl.db", "SELECT url, state, reason FROM requisites ORDER BY id") == [
        (A + "busy.png", "kept", "ok"),
        (B + "gone.png", "failed", "http-404"),
    ]
    assert Counter(site.asked)[B + "gone.png"] == 1


def test_circles_of_imports_frames_and_redirects_end(tmp_path: Path) -> None:
    site = {
        A: "<link rel=stylesheet href=1.css><iframe src=frame></iframe><img src=round>",
        A + "1.css": "@import '2.css'",
        A + "2.css": "@import '1.css'; @import '2.css'",
        A + "frame": "<iframe src=frame></iframe><iframe src=other></iframe>",
        A + "other": "<iframe src=frame></iframe>",
        A + "round": f"-> {A}back",
        A + "back": f"-> {A}round",
        **{f"{A}{n}.css": f"@import '{n + 1}.css'" for n in range(10, 30)},
    }
    _, server = crawl_whole(site, tmp_path, A, scope="prefix", deny=["frame|other"], pages=1)
    assert max(Counter(server.asked).values()) == 1
    deep = {**site, A: "<link rel=stylesheet href=10.css>"}
    _, server = crawl_whole(deep, tmp_path / "deep", A)
    assert [url for url in server.asked if url != A] == [f"{A}{n}.css" for n in range(10, 19)]


def test_what_may_not_be_copied_is_not_kept(tmp_path: Path) -> None:
    forbidden = httpx.Response(200, headers={"content-type": "image/png", "x-robots-tag": "noarchive"}, content=b"x")
    site = {
        A: f"<img src={B}1.png><a href=two>2</a>",
        A + "two": "<meta name=robots content=noarchive><img src=2.png>",
        A + "2.png": b"2",
        B + "1.png": forbidden,
    }
    _, server = crawl_whole(site, tmp_path, A)
    assert A + "2.png" not in server.asked
    assert rows(tmp_path / "crawl.db", "SELECT url, reason FROM requisites") == [(B + "1.png", "noarchive")]
    assert B + "1.png" not in {one.url for one in answers(tmp_path / "kept")}


@pytest.mark.parametrize("step", range(2, 30, 7))
def test_a_kill_loses_none(step: int, tmp_path: Path) -> None:
    """Killed instead of a write to a file, such as that of an archived answer or a commit."""
    site = {**GALLERY, A: f"<link rel=stylesheet href=1.css>{GALLERY[A]}", A + "1.css": "a { b: url(deep.png) }"}
    site[A + "deep.png"] = b"deep"
    killed_at(step, ["write"], lambda: crawl_whole(site, tmp_path, A) and None)
    crawl_whole(site, tmp_path, A)
    found = rows(tmp_path / "crawl.db", "SELECT url FROM requisites WHERE state = 'kept'")
    assert sorted(url for (url,) in found) == sorted(url for url in site if url.endswith(("png", "css")))
    assert complaints(tmp_path / "crawl.db") == []
    assert {url for (url,) in found} <= {one.url for one in answers(tmp_path / "kept")}
