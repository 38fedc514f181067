"""The file of a report: valid, small, and inert whatever the web has put into it."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from minicrawl.audit.auditing import Finding
from minicrawl.audit.rules import Rule, Severity
from minicrawl.report import Issue, Report, Section, Share, escaped, href, link, percent, plain, write_report

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></table></style></title><script>",
    "<!-- -->]]><?php ?>",
    "&lt;script&gt;&#60;script&#62;",
    "\u202eevil\u2066 \u2028 \x00 \x1b[31m \x85 \ud800",
    "javascript:alert(1)",
    "x" * 10_000,
    "😀" * 500,
]
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "h1", "h2", "h3", "p", "b", "br", "small"),
    *("dl", "dt", "dd", "div", "a", "section", "details", "summary", "span", "wbr"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
VOID = {"meta", "br", "wbr"}


def rule(name: str, severity: Severity = Severity.ERROR, why: str = "", how: str = "") -> Rule:
    return Rule(name, "", why, how, severity)


def found(target: str, *, detail: str = "", importance: float = 0.1) -> Finding:
    return Finding("r", target, importance, 9, tuple(HOSTILE[:5]), detail)


class Checker(HTMLParser):
    """Reads a document: which elements, attributes and links it has, and whether each that opens is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)


def checked(report: Report, path: Path) -> Checker:
    assert write_report(report, path) == path.stat().st_size
    read = Checker(path.read_text("utf-8"))
    assert read.open == []
    assert len(set(read.ids)) == len(read.ids)
    assert {link[1:] for link in read.links if link.startswith("#")} <= set(read.ids)
    return read


def hostile() -> Report:
    urls = [f"http://a.test/{text}" for text in HOSTILE] + HOSTILE
    parts = [f"http://a.test/?{text}#{text}" for text in HOSTILE]
    rows = [(((url,), 1), 1, 0.5, Share(0.5), text, (HOSTILE, 40), None) for text in HOSTILE for url in urls]
    section = Section(HOSTILE[0], ("page", *"abcdef"), rows, HOSTILE[4])
    issue = Issue(
        rule("bad-word", why=HOSTILE[2], how=HOSTILE[4]),
        [found(url, detail=text) for url, text in zip(urls + parts, HOSTILE * 3, strict=True)],
        1000,
        0.5,
    )
    tiles = {HOSTILE[1]: HOSTILE[3] + HOSTILE[5]}
    return Report(HOSTILE[0], HOSTILE[4], tiles, [issue], {HOSTILE[0]: HOSTILE[6]}, 3, [section])


def test_what_the_web_says_is_text_and_nothing_else(tmp_path: Path) -> None:
    read = checked(hostile(), tmp_path / "report.html")
    assert read.tags <= TAGS
    assert not {name for name in read.names if name.startswith("on")} | ({"src", "style"} & read.names)
    assert all(link.startswith(("http://", "#")) for link in read.links)
    part = r"([\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"  # of a URL (RFC 3986)
    assert [link for link in read.links if not re.fullmatch(rf"{part}(#{part})?", link, re.ASCII)] == []
    text = "".join(read.words)
    assert all(words in text for words in HOSTILE[:7])
    assert not [char for char in text if not char.isprintable() and char != "\n"]


def test_file_is_small_however_much_was_found(tmp_path: Path) -> None:
    """As many rules as there are, each with the most targets, which are as long as they get."""
    assert write_report(hostile(), tmp_path / "report.html") < 700_000
    findings = [found(f"http://a.test/{'y' * 580}{number}", detail="z" * 300) for number in range(100)]
    issues = [Issue(rule(f"rule-{number}"), findings, 20_000, 0.1) for number in range(60)]
    assert write_report(Report("t", "s", {}, issues, {}, 60), tmp_path / "large.html") < 2_000_000
    text = (tmp_path / "large.html").read_text()
    assert text.count("<details") == 60
    assert re.search(r"And 19,9\d\d more", text)


def test_policy_names_the_style_by_its_digest(tmp_path: Path) -> None:
    write_report(hostile(), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert text.index("Content-Security-Policy") < text.index("<title>")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "script" not in policy
    (body,) = re.findall("<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "url(" not in body
    assert "@import" not in body


def test_issue_has_its_targets_and_counts_the_rest(tmp_path: Path) -> None:
    some = [found(f"http://a.test/{number}", importance=0.2 - number / 1000) for number in range(100)]
    issues = [Issue(rule("broken-link"), some, 150, 0.25)]
    checked(Report("t", "s", {}, issues, {"page-slow": "needs more"}, 7), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "150 findings by 1 of 7 rules" in text
    assert "150 targets" in text
    assert text.count("<tr><td") == 100
    assert "And 50 more" in text
    assert "<dt>page-slow</dt><dd>needs more</dd>" in text


def test_report_without_issues_and_rows_says_so(tmp_path: Path) -> None:
    report = Report("t", "s", {}, [], checked=5, sections=[Section("Empty", ("a",), [], empty="No page is so.")])
    words = checked(report, tmp_path / "report.html").words
    assert "No page is so." in words
    assert "None of the 5 rules that were checked has found anything." in words


@pytest.mark.parametrize(("part", "text"), [
    (0, "0 %"), (1e-6, "under 0.001 %"), (0.00012, "0.012 %"), (0.03, "3.0 %"), (0.0996, "10 %"), (1, "100 %"),
])  # fmt: skip
def test_shares_are_short(part: float, text: str) -> None:
    assert percent(part) == text


def test_column_that_says_nothing_is_left_out(tmp_path: Path) -> None:
    section = Section("S", ("page", "empty", "note"), [((("http://a.test/",), 1), None, ""), ("b", "", "said")])
    issue = Issue(rule("too-deep"), [Finding("too-deep", "http://a.test/", 0.1, 0, (), "")], 1, 0.1)
    checked(Report("t", "s", {}, [issue], {"own": "why"}, 1, [section]), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert re.findall(r"<th scope[^>]*>([^<]*)", text) == ["target", "at stake", "page", "note"]
    assert "1 finding by 1 of 1 rule," in text
    assert "Not checked: 1 rule<" in text


@pytest.mark.parametrize(("text", "shown"), [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\"'&amp;", "&quot;&#x27;&amp;amp;"),
    ("a\x00\x1b\u202e\u2066\ud800b", "a\ufffd\ufffd\ufffd\ufffd\ufffdb"),
])  # fmt: skip
def test_text_is_neither_markup_nor_steering(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_text_is_one_line_and_bounded() -> None:
    assert plain(" a \n\t b ") == "a b"
    assert len(plain("x" * 10_000)) == 200


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//a.test/", "", "http://a.test/" + "x" * 600]
)
def test_what_must_not_be_followed_is_no_link(url: str) -> None:
    assert href(url) == ""
    assert "<" not in link(url).replace("<wbr>", "")


def test_link_has_the_whole_url_and_shows_its_ends() -> None:
    url = f"https://a.test/{'x' * 300}?end"
    assert f'href="{url}"' in link(url)
    assert link(url).split(">", 1)[1].startswith("a.test/<wbr>xxx")
    assert "?end</a" in link(url)
    assert link('http://a.test/"<b>').replace("<wbr>", "").count("<") == 2


def test_address_is_escaped_and_its_text_is_not() -> None:
    assert 'href="http://a.test/#%3Cb%3E%7C"' in link("http://a.test/#<b>|")
    assert link("http://a.test/#<b>|").endswith("a.test/<wbr>#&lt;b&gt;|</a>")
