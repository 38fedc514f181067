"""Links as a browser sees them: references resolved, and links found in pages.

References resolved as the WHATWG's tests of URLs say, and links found in pages as jsdom's document has them with
scripts off: a and area elements, frames and iframes, http and https, without fragment.

- A program's URL counts as right if it is another spelling of the right one, as its HTTP client would put that right.
  Tests of other schemes and with credentials, which a crawler drops, are left out, and so are pages that say
  nofollow. The tests are those of 2024; the standard has changed since.
- Not among the odd pages is what jsdom is known to read in another way than browsers do today: links in SVG and in
  select, a data URL as base, UTF-16.
- jsdom's own URLs are those of whatwg-url. Python's parsers take urljoin, as they are commonly used; Scrapy its
  LinkExtractor, and for references urljoin and w3lib.
- minicrawl's time includes the title, robots directives and the alternates of a page; that of jsdom a whole document.
- Pages are drawn from the documentation of the suite speed; the odd ones are of this project. Test data:
  web-platform-tests (BSD-3-Clause), in the source distribution of httpx.
"""

import base64
import json
import random
import tarfile
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import ada_url
from public.bench import Bench, Suite
from public.peers import Peer, UnavailableError, run_pip
from public.results import OURS, PEER, Column, Row, Table
from public.suites.speed import SCRAPY
from public.webs import DEBIAN, PACKAGES, documentation, generated

from minicrawl.web.html import parse_html
from minicrawl.web.urls import normalise

_ORACLE = "jsdom"
_PEERS = (
    Peer(_ORACLE, "npm", ("jsdom@>=26",), "MIT"),
    Peer("parse5", "npm", ("parse5@>=7", "whatwg-url@>=14", "html-encoding-sniffer@>=4"), "MIT"),
    Peer("cheerio", "npm", ("cheerio@^1",), "MIT"),
    SCRAPY,
    Peer("lxml", "PyPI", ("lxml>=5,<7",), "BSD-3-Clause"),
    Peer("selectolax", "PyPI", ("selectolax>=0.3,<2",), "MIT"),
    Peer("Beautiful Soup", "PyPI", ("beautifulsoup4>=4.12,<5",), "MIT"),
    Peer("yarl", "PyPI", ("yarl>=1.18,<2",), "Apache-2.0"),
    Peer("httpx", "PyPI", ("httpx>=0.28,<1",), "BSD-3-Clause"),
    Peer("urllib.parse", "Python", ("urllib.parse",), "PSF-2.0"),
)
_TEST_DATA = "httpx==0.28.1"
"""Its source distribution has the WHATWG's urltestdata.json (BSD-3-Clause)."""
_SAMPLE = 300
_URL = "http://odd.test/folder/page?x"
ODD = (
    b"<a href=' x '>spaces</a><a href='y\n z'>a line end</a><a href='\tq'>tab</a>",
    b"<a href=unquoted>1</a><A HREF=UPPER>2</A><a href = \"apart\">3</a><a href>4</a><a href=''>5</a>",
    b"<base href='/other/'><a href=x>1</a><base href='/third/'><a href=y>2</a>",
    b"<a href=x>1</a><div><base href='//elsewhere.test/a/b'></div>",
    b"<!-- <a href=commented>1</a> --><a href=real>2</a><!--> <a href=after-empty-comment>3</a> -->",
    b"<script>'<a href=scripted>'</script><style><a href=styled></style><textarea><a href=typed></textarea>",
    b"<template><a href=template>1</a></template><noscript><a href=noscript>2</a></noscript><a href=last>3</a>",
    b"<title><a href=title></title><xmp><a href=xmp></xmp><iframe><a href=in-frame></iframe><a href=last>3</a>",
    b"<a href='?a=1&copy=2&amp;b=3&notit;&lt'>entities</a><a href='&#x2f;x&#47y'>numbers</a>",
    b"<a href='http:x'>1</a><a href='http:/x'>2</a><a href='\\\\h.test\\x'>3</a><a href='///h.test/x'>4</a>",
    b"<a href='/a/../b/./c/%2e%2E/d'>dots</a><a href='../../../x'>up</a><a href='HTTP://H.TEST:80/%7Ex'>host</a>",
    b"<a href='mailto:a@b'>1</a><a href='javascript:x()'>2</a><a href='ftp://h.test/'>3</a><a href='#x'>4</a>",
    b"<a href='http://h.test:99999/'>1</a><a href='http://a b/'>2</a><a href='http://[::1'>3</a><a href='http://1.2.3/'>4</a>",
    "<meta charset=utf-8><a href='/ü?ü#ü'>utf-8</a><a href='http://bücher.test/'>idn</a>".encode(),
    "<meta charset=windows-1252><a href='/ü?ü'>a query in the page's encoding</a>".encode("cp1252"),
    "<meta charset=shift_jis><a href='/日?日'>the same</a>".encode("shift_jis"),
    "\ufeff<a href='/bom?ü'>a byte order mark</a>".encode(),
    b"<map><area href=area></map><math><a href=math>1</a></math><dl><a href=dl>2</a>",
    b"<table><a href=fostered>1</a><tr><td><a href=cell>2</a></table><ul><a href=item>3</a>",
    b"<a href=outer>1<a href=inner>2</a></a><p><a href=p>3<p>4</a><button><a href=button>5</button>",
    b"<frameset><frame src=frame><noframes><a href=noframes></a></noframes></frameset>",
    b"<a/href=slashed>1</a><a href=x href=twice>2</a><a\x00href=nul>3</a><a href='x\x00y'>4</a>",
    b"<plaintext><a href=plain>1</a>",
    b"<a href=last",
)


class Page(NamedTuple):
    url: str
    kind: str
    body: bytes


def spelt(url: str | None) -> str | None:
    """A URL in the one spelling of browsers, without its fragment; None for what is no http URL."""
    try:
        parsed = ada_url.URL(url or "")
    except ValueError:
        return None
    parsed.hash = ""
    return str(parsed.href).removesuffix("#") if parsed.protocol in {"http:", "https:"} else None


def whatwg_cases(bench: Bench) -> list[dict[str, Any]]:
    """The WHATWG's tests of http URLs without credentials, and of what is no URL. Raises UnavailableError."""
    folder = bench.cache / "packages" / "whatwg"
    if not list(folder.glob("*.tar.gz")):
        run_pip("download", "--no-deps", "--no-binary", ":all:", _TEST_DATA, folder=folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as tar:
        member = next(one for one in tar.getmembers() if one.name.endswith("tests/models/whatwg.json"))
        file = tar.extractfile(member)
        assert file is not None
        cases = json.load(file)
    return [
        case
        for case in cases
        if isinstance(case, dict) and not case.get("username") and not case.get("password")
        if case.get("failure") or case["protocol"] in {"http:", "https:"}
    ]


def _pages(bench: Bench) -> Iterator[tuple[str, list[Page]]]:
    yield f"Links of {len(ODD)} odd pages", [Page(_URL, "text/html", body) for body in ODD]
    webs = [generated(0, 2, 100)] if bench.is_quick else []
    for packages in () if bench.is_quick else (PACKAGES, DEBIAN):
        try:
            webs.append(documentation(packages, bench.cache))
        except UnavailableError:
            continue
    every = (Page(url, headers.get("Content-Type", ""), body) for web in webs
             for url, (status, headers, body) in sorted(web.replies.items()) if status == 200)  # fmt: skip
    pages = [page for page in every if page.kind.startswith("text/html") and b"nofollow" not in page.body]
    yield f"Links of pages drawn from {len(pages):,}", random.Random(0).sample(pages, min(_SAMPLE, len(pages)))


def _ours(pages: Sequence[Page]) -> tuple[list[list[str]], float]:
    started = time.process_time()
    found = [list(parse_html(page.body, page.url, page.kind).outlinks) for page in pages]
    return found, time.process_time() - started


def _run(bench: Bench) -> Iterator[Table]:
    if not bench.is_quick:
        yield _resolved(bench)
    for title, pages in _pages(bench):
        yield _found(bench, title, pages)


def _resolved(bench: Bench) -> Table:
    title = "References of the WHATWG's test data"
    try:
        cases = whatwg_cases(bench)
    except UnavailableError as error:
        return Table(title, (), (), f"Not to be had: {error}.")
    asked = [(case["input"], case.get("base")) for case in cases]
    expected = [None if case.get("failure") else spelt(case["href"]) for case in cases]
    answers: dict[str, list[str | None]] = {"minicrawl": [normalise(*one) for one in asked]}
    for name in bench.installed:
        found = bench.ask(name, "links", {"references": asked, "pages": []})
        if found is not None and found["resolved"] is not None:
            answers[name] = found["resolved"]
    rows = []
    for name, urls in answers.items():
        right = [spelt(url) == wanted for url, wanted in zip(urls, expected, strict=True)]
        of_urls = [good for good, wanted in zip(right, expected, strict=True) if wanted]
        of_others = [good for good, wanted in zip(right, expected, strict=True) if not wanted]
        row = [[100.0 * sum(some) / len(some)] for some in (right, of_urls, of_others)]
        rows.append(Row.of(name, OURS if name == "minicrawl" else PEER, *row))
    count = sum(wanted is not None for wanted in expected)
    columns = (f"right, % of {len(cases)}", f"of {count} URLs", f"of {len(cases) - count} that are none")
    return Table(title, tuple(Column(name, "more") for name in columns), rows)


def _found(bench: Bench, title: str, pages: Sequence[Page]) -> Table:
    question = {"references": [], "pages": [(one.url, one.kind, base64.b64encode(one.body).decode()) for one in pages]}
    answers: dict[str, tuple[Sequence[list[str] | None], float]] = {"minicrawl": _ours(pages)}
    for name in bench.installed:
        found = bench.ask(name, "links", question)
        if found is not None and found["found"] is not None:
            answers[name] = (found["found"], found["seconds"])
    oracle = answers.get(_ORACLE, answers["minicrawl"])[0]
    judged = [number for number, urls in enumerate(oracle) if urls is not None]
    sets = {
        name: [
            {url for one in of[number] or () if (url := spelt(one))} - {spelt(pages[number].url)} for number in judged
        ]
        for name, (of, _) in answers.items()
    }
    truth = sets.get(_ORACLE, sets["minicrawl"])
    rows = []
    for name, of in sets.items():
        both = sum(len(some & wanted) for some, wanted in zip(of, truth, strict=True))
        same = 100.0 * sum(some == wanted for some, wanted in zip(of, truth, strict=True)) / len(judged)
        shares = [100.0 * both / max(sum(map(len, some)), 1) for some in (truth, of)]
        cost = 1e6 * answers[name][1] / len(pages)
        rows.append(Row.of(name, OURS if name == "minicrawl" else PEER, [same], *([share] for share in shares), [cost]))
    columns = (
        Column("pages with the same links, %", "more"),
        Column("links found, %", "more", 2),
        Column("of those given, right, %", "more", 2),
        Column("a page, CPU µs", "less", 0),
    )
    note = (
        f"jsdom failed on {len(pages) - len(judged)} of {len(pages)} pages, which are left out."
        if len(judged) < len(pages)
        else ""
    )
    note = note if _ORACLE in sets else "Without jsdom the truth is minicrawl's own."
    return Table(title, columns, rows, note)


SUITE = Suite("links", "Links", __doc__, _PEERS, _run)
