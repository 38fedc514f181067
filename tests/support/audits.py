"""Sites with faults planted, by the subject of the rules that find them, and audits of stores."""

import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.audit.auditing import audited
from minicrawl.audit.rules import RULES
from minicrawl.settings import PROFILES
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


class Reply(NamedTuple):
    """A page, by the HTML of its body and its head; or another answer."""

    links: str = ""
    status: int = 200
    location: str = ""
    head: str = ""
    body: str = ""
    seconds: float = 0.0
    title: str = ""
    link: str = ""


class Faulty(httpx.AsyncBaseTransport):
    """Serves pages by URL; anything else is a 404."""

    def __init__(self, web: Mapping[str, Reply], silent: Collection[str] = ()) -> None:
        """silent: hosts without a listener."""
        self.web, self.silent = web, silent
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        self.asked.append(url)
        if request.url.host in self.silent:
            raise httpx.ConnectError("nobody listens")
        await asyncio.sleep(self.web.get(url, Reply()).seconds)
        return answer(self.web, url)


def answer(web: Mapping[str, Reply], url: str) -> httpx.Response:
    reply = web.get(url, Reply(status=404))
    if reply.location:
        return httpx.Response(reply.status, headers={"location": reply.location})
    if url.endswith(".css"):
        return httpx.Response(reply.status, text=reply.body, headers={"content-type": "text/css"})
    if reply.status != 200 or url.endswith((".txt", ".xml")):
        return httpx.Response(reply.status, text=reply.body)
    links = "".join(f'<a href="{link}">on to {link}</a> ' for link in reply.links.split())
    title = f"<title>{reply.title or url}</title>"
    headers = {"link": reply.link} if reply.link else {}
    return httpx.Response(
        200, headers=headers, html=f"<html><head>{title}{reply.head}</head><body>{reply.body or said(url)}{links}"
    )


def said(url: str) -> str:
    """A text that no other page has."""
    return "<p>" + " ".join(f"{url}{number * number}" for number in range(40)) + "</p>"


class Planted(NamedTuple):
    """A web, its seeds, and by rule the targets at fault with their numbers of sources."""

    web: dict[str, Reply]
    seeds: list[str]
    faults: dict[str, dict[str, int]]


def site(host: str, pages: Mapping[str, Reply]) -> dict[str, Reply]:
    """Pages by their paths on a host."""
    return {f"http://{host}{path}": reply for path, reply in pages.items()}


def on(host: str, faults: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Faults by their paths on a host; a target that is no path stays as it is."""
    return {
        rule: {f"http://{host}{target}" if target.startswith("/") else target: count for target, count in found.items()}
        for rule, found in faults.items()
    }


def planted(host: str, pages: Mapping[str, Reply], faults: Mapping[str, Mapping[str, int]], *seeds: str) -> Planted:
    return Planted(site(host, pages), [f"http://{host}{path}" for path in seeds or ("/",)], on(host, faults))


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


def version(language: str, url: str) -> str:
    return f'<link rel="alternate" hreflang="{language}" href="{url}">'


ROBOTS = '<meta name="robots" content="{}">'


def prose(word: str) -> str:
    """Text enough to tell near-duplicates by."""
    return " ".join(f"<p>{word}{number} {word}{number * 7} and {word}{number * 11}</p>" for number in range(90))


PLANTED: dict[str, Planted] = {
    "files": planted(
        "files.test",
        {
            "/": Reply(
                "/more",
                head="<link rel=stylesheet href=/site.css><script src=/gone.js></script>",
                body=said("files") + '<img src=/gone.png alt=x><img src=/here.png srcset="/2x.png 2x" alt=y>',
            ),
            "/more": Reply("/", body=said("more") + "<video poster=/gone.jpg></video><img src=/gone.png alt=x>"),
            "/site.css": Reply(body="body { background: url(/behind.png) }"),
            "/here.png": Reply(),
        },
        {"file-missing": {"/gone.png": 2} | dict.fromkeys(("/gone.js", "/gone.jpg", "/2x.png", "/behind.png"), 1)}
        | {rule: {"/": 0, "/more": 0} for rule in ("description-missing", "h1-missing", "language-missing")},
    ),
    "links": planted(
        "links.test",
        {
            "/": Reply("/private /fine http://elsewhere.test/ http://elsewhere.test/dead"),
            "/private": Reply(status=403),
            "/fine": Reply("/ http://elsewhere.test/shut"),
        },
        {
            "broken-link": {"/private": 1, "http://elsewhere.test/dead": 1},
            "link-unreachable": {"http://elsewhere.test/shut": 1},
        },
    ),
    "redirects": planted(
        "redirects.test",
        {
            "/": Reply("/temporary /away"),
            "/temporary": Reply(status=302, location="/end"),
            "/end": Reply("/"),
            "/away": Reply(status=301, location="http://elsewhere.test/"),
        },
        {"redirect-temporary": {"/temporary": 1}, "link-to-redirect": {"/away": 1}},
    ),
    "answers": planted(
        "answers.test",
        {
            "/": Reply("/slow /large /quick"),
            "/slow": Reply("/", seconds=3.0),
            "/quick": Reply("/", seconds=1.0),
            "/large": Reply("/", body=said("http://large.test/") + "x" * 1_100_000),
        },
        {"page-slow": {"/slow": 0}, "page-large": {"/large": 0}},
    ),
    "canonicals": planted(
        "canonicals.test",
        {
            "/": Reply("/copy /other /lost /moved /chained /hidden /away /itself"),
            "/copy": Reply("/", head=canonical("/itself")),
            "/other": Reply("/", head=canonical("/itself")),
            "/itself": Reply("/", head=canonical("/itself")),
            "/lost": Reply("/", head=canonical("/nothing")),
            "/moved": Reply("/", head=canonical("/old")),
            "/old": Reply(status=301, location="/itself"),
            "/chained": Reply("/", head=canonical("/copy")),
            "/hidden": Reply("/", head=canonical("/secret")),
            "/secret": Reply("/", head=ROBOTS.format("noindex")),
            "/away": Reply("/", head=canonical("http://elsewhere.test/page")),
        },
        {
            "canonical-broken": {"/nothing": 1},
            "canonical-redirect": {"/old": 1},
            "canonical-chain": {"/copy": 1},
            "canonical-noindex": {"/secret": 1},
            "canonical-to-other-site": {"http://elsewhere.test/page": 1},
        },
    ),
    "hreflang": planted(
        "hreflang.test",
        {
            "/": Reply("/en /de /fr /it /uk", head=version("x-default", "/")),
            "/en": Reply("/", head=version("en", "/en") + version("de", "/de") + version("fr", "/fr")),
            "/de": Reply("/", head=version("en", "/en") + version("de-AT", "/de")),
            "/fr": Reply("/", head=version("fr", "/fr") + version("de", "/de")),
            "/it": Reply("/", head=version("it", "/it") + version("es-419", "/nada") + version("en", "/anglais")),
            "/anglais": Reply(status=301, location="/en"),
            "/uk": Reply(
                "/",
                head=version("en-UK", "/uk")
                + version("zh-Hant-TW", "/uk")
                + version("xy", "/uk")
                + version("en_GB", "/uk"),
            ),
        },
        {
            "hreflang-no-return": {"/fr": 1, "/de": 1},
            "hreflang-broken": {"/nada": 1},
            "hreflang-to-noncanonical": {"/anglais": 1},
        },
    ),
    "indexability": planted(
        "index.test",
        {
            "/robots.txt": Reply(body="User-agent: *\nDisallow: /private/\n"),
            "/": Reply("/private/much /hidden /from-google /nofollow /a /b /c"),
            "/a": Reply("/private/much /b /private/little"),
            "/b": Reply("/private/much /c"),
            "/c": Reply("/private/much /a"),
            "/hidden": Reply("/private/much", head=ROBOTS.format("noindex")),
            "/from-google": Reply("/", head='<meta name="googlebot" content="noindex">'),
            "/nofollow": Reply("/", head=ROBOTS.format("nofollow")),
        },
        {"noindex-linked": {"/hidden": 1, "/from-google": 1}, "robots-blocked": {"/private/much": 5}},
    ),
    "sitemaps": planted(
        "maps.test",
        {
            "/robots.txt": Reply(body="Sitemap: http://maps.test/map.txt\n"),
            "/map.txt": Reply(
                body="\n".join(
                    f"http://maps.test/{path}" for path in ("", "dead", "moved", "hidden", "a", "twin", "known-dead")
                )
            ),
            "/": Reply("/a /missing /known-dead"),
            "/a": Reply("/ /missing"),
            "/missing": Reply("/ /a"),
            "/moved": Reply(status=301, location="/a"),
            "/hidden": Reply("/", head=ROBOTS.format("noindex")),
            "/twin": Reply("/", head=canonical("/a")),
        },
        {
            "sitemap-not-canonical": {"/twin": 0},
            "sitemap-broken": {"/dead": 0, "/known-dead": 0},
            "sitemap-redirect": {"/moved": 0},
            "sitemap-noindex": {"/hidden": 0},
            "sitemap-missing": {"/missing": 0},
            "orphan": {"/hidden": 0, "/twin": 0},
            "broken-link": {"/known-dead": 1},
        },
    ),
    "duplicates": planted(
        "twice.test",
        {
            "/": Reply("/first /first-again /near /nearly"),
            "/first": Reply(title="Same", body=prose("one")),
            "/first-again": Reply(title="Same", body=prose("one")),
            "/near": Reply("/", body=prose("two")),
            "/nearly": Reply("/", body=prose("two").replace("two7 ", "seven ")),
        },
        {
            "duplicate-exact": {"/first": 1},
            "duplicate-near": {"/near": 1},
            "dead-end": {"/first": 0, "/first-again": 0},
        },
    ),
    "reach": planted(
        "reach.test",
        {
            "/": Reply("/1 /end"),
            **{f"/{step}": Reply(f"/{step + 1}") for step in range(1, 7)},
            "/7": Reply("/"),
            "/end": Reply(),
            "/orphan": Reply("/ /orphan"),
        },
        {"too-deep": {"/6": 0, "/7": 0}, "orphan": {"/orphan": 0}, "dead-end": {"/end": 0}},
        "/",
        "/orphan",
    ),
}


ELSEWHERE = site("elsewhere.test", {"/": Reply("/page"), "/page": Reply("/"), "/shut": Reply(status=403)})


def crawl_planted(subject: str, store: Path) -> Planted:
    """Crawl the site of a subject at all defaults; one with files, as an audit does."""
    found = PLANTED[subject]
    crawl_web(found.web, store, found.seeds, **(PROFILES["audit"] if subject == "files" else {}))
    return found


def crawl_web(
    web: Mapping[str, Reply], store: Path, seeds: list[str], silent: Collection[str] = (), **settings: Any
) -> list[str]:
    """The URLs asked for. silent: hosts without a listener."""
    server = Faulty({**ELSEWHERE, **web}, silent)
    run(acrawl(seeds, store, transport=server, **settings), grace=0.0)
    return server.asked


def found_in(store: Path, *rules: str) -> dict[str, dict[str, int]]:
    """The findings of some rules in a store, or of all: by rule targets, and their numbers of sources."""
    found: dict[str, dict[str, int]] = {}
    with open_store(store) as reader, reader.snapshot():
        asked = {name: RULES[name] for name in rules} if rules else RULES
        for each in audited(reader, asked).findings:
            found.setdefault(each.rule, {})[each.target] = each.sources
    return found
