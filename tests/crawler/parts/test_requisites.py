"""Files that archived pages need: each asked for once, kept, and no page."""

from collections import Counter
from pathlib import Path

from support.archives import answers
from support.requisites import crawl_whole
from support.sites import faults_in, rows

A, B = "http://a.test/", "http://b.test/"
SITE = {
    A: f'<link rel=stylesheet href=s.css><img src=logo.png srcset="wide.png 2x"><a href=two>2</a><iframe src={B}in>',
    A + "two": f"<link rel=stylesheet href=/s.css><img src=/logo.png><img src=/gone.png><img src={B}secret.png>",
    A + "s.css": f"@import 'deep.css'; body {{ background: url({B}back.png) }}",
    A + "deep.css": "@import 's.css'; @font-face { src: url(/font) }",
    A + "font": "-> /font.woff2",
    A + "font.woff2": b"font",
    A + "logo.png": b"logo" * 400,
    A + "wide.png": b"wide",
    B + "in": "<img src=framed.png><iframe src=in></iframe>",
    B + "framed.png": b"logo" * 400,
    B + "back.png": b"back",
    B + "secret.png": b"secret",
    B + "robots.txt": "User-agent: *\nDisallow: /secret",
}
FILES = [url for url in SITE if url not in (A, A + "two", B + "secret.png", B + "robots.txt")]


def states(folder: Path) -> dict[str, tuple[str, str]]:
    """By URL, the state of each requisite and its reason."""
    found = rows(folder / "crawl.db", "SELECT url, state, reason FROM requisites")
    return {url: (state, reason) for url, state, reason in found}


def test_a_crawl_with_all_defaults_keeps_what_its_pages_need(tmp_path: Path) -> None:
    """To its natural end, politely; each is asked for once, and what robots.txt forbids not at all."""
    report, server = crawl_whole(SITE, tmp_path, A, scope="host")
    assert (report.reason, report.fetched, report.read) == ("nothing-left", 2, 2)
    assert Counter(server.files) == Counter([*FILES, A, A + "two", A + "gone.png"])
    kept = {one.url: one.kind for one in answers(tmp_path / "kept")}
    assert set(FILES) <= kept.keys()
    assert {kept[A + "logo.png"], kept[B + "framed.png"]} == {"response", "revisit"}, "equal bodies are kept once"
    found = states(tmp_path)
    assert found.pop(A + "gone.png") == ("failed", "http-404")
    assert found.pop(B + "secret.png") == ("failed", "robots")
    assert found.pop(A + "font") == ("kept", "redirect-302")
    assert set(found.values()) == {("kept", "ok")}
    assert faults_in(tmp_path / "crawl.db") == []
