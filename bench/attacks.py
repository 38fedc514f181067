"""Attacks on the ranking, each in a crawl of its own: what does the attacker get, and does an honest site lose?

    python bench/attacks.py [ATTACK ...] [-- any option of 'minicrawl crawl' but --store]

The web is the demo's, of 160 sites and 6,000 pages, on loopback; each attacker has a link or more on it. A crawl takes
12,000 answers, with every default but the delay. Prints, per attack, how many pages of his are known and how many were
read, and how many honest ones; the share of all importance on his pages, and the place of his target among the pages
that were read.

farm          domains that link to each other and to a target; one honest link
farm-back     the same, which link to the honest site, too
bought        20 domains with an honest link each, of different sites, that link to each other and to a target
calendar      /cal?d=N without end on an honest site, each linking to a target on it
texts         the same, but pages that all say something else
wiki          a page that anybody may edit, on an honest site, with links to 200 domains of a farm
wildcard      a domain of which every host answers, and names 40 more; one honest link
shared        the farm, of 2,000 names below github.io
large         no attack: an honest site of 20,000 pages to which five sites link, and which links to two of them
"""

import asyncio
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from minicrawl.crawler.urls.keys import hostname
from minicrawl.demo.web import DemoWeb
from minicrawl.store.reader import open_store

ANSWERS = 12_000
DOMAINS = 2_000
LARGE = 20_000
WEB = DemoWeb.generate(seed=3, hosts=160, pages=6_000)
LINKER, CALENDAR, WIKI = (f"http://{WEB.hosts[place]}/" for place in (0, 30, 10))
FRONTS = [f"http://{host}/" for host in WEB.hosts[::8]]
Links = list[str]


class Attack(NamedTuple):
    """links: on a page of his; None: it is not his. entrances: what honest pages link to. target: what he lifts."""

    links: Callable[[str], Links | None]
    entrances: dict[str, Links]
    target: str
    says: Callable[[str], str] = str


def number(text: str) -> int:
    return int(hashlib.sha1(text.encode()).hexdigest()[:8], 16)


def farm(url: str, *, name: str = "farm{}.test", domains: int = DOMAINS, back: Links | None = None) -> Links | None:
    prefix, _, suffix = name.partition("{}")
    host = hostname(url)
    if not (host.startswith(prefix) and host.endswith(suffix)):
        return None
    own = int(host.removeprefix(prefix).removesuffix(suffix))
    if own == 0:
        return back or []
    others = [f"http://{name.format((own * step + step) % domains)}/" for step in range(1, 21)]
    page = int(url.rpartition("/")[2] or 0)
    pages = [f"http://{host}/{child}" for child in range(3 * page + 1, 3 * page + 4)]
    return [f"http://{name.format(0)}/", *others, *pages, *(back or [])]


def wildcard(url: str) -> Links | None:
    host = hostname(url)
    if not host.endswith("wild.test"):
        return None
    if host == "wild.test":
        return []
    return ["http://wild.test/", *(f"http://h{number(f'{host} {place}'):x}.wild.test/" for place in range(40))]


def calendar(url: str, *, path: str = "cal?d=") -> Links | None:
    if not url.startswith(CALENDAR + path):
        return None
    day = int(url.rpartition("=")[2])
    return [f"{CALENDAR}target", *(f"{CALENDAR}{path}{day + step}" for step in (-1, 1, 7, 30, 365))]


def large(url: str) -> Links | None:
    if hostname(url) != "large.test":
        return None
    page = int(url.rpartition("/")[2] or 0)
    children = range(40 * page + 1, min(40 * page + 41, LARGE))
    return ["http://large.test/", *(f"http://large.test/{child}" for child in children), *FRONTS[1:3]]


def in_words(url: str) -> str:
    """Words that no other page has."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return " ".join(f"w{number(f'{url} {place}'):x}".translate(letters) for place in range(40))


def same_day(url: str) -> str:
    return f"No events on day {url.rpartition('=')[2]}"


BOUGHT = 20
ATTACKS = {
    "farm": Attack(farm, {LINKER: ["http://farm7.test/"]}, "http://farm0.test/", in_words),
    "farm-back": Attack(
        partial(farm, back=[LINKER, FRONTS[1], FRONTS[2]]),
        {LINKER: ["http://farm7.test/"]},
        "http://farm0.test/",
        in_words,
    ),
    "bought": Attack(
        partial(farm, name="bought{}.test", domains=BOUGHT),
        {front: [f"http://bought{at}.test/"] for at, front in enumerate(FRONTS)},
        "http://bought0.test/",
        in_words,
    ),
    "calendar": Attack(calendar, {CALENDAR: [f"{CALENDAR}cal?d=0"]}, f"{CALENDAR}target", same_day),
    "texts": Attack(
        partial(calendar, path="texts?n="), {CALENDAR: [f"{CALENDAR}texts?n=0"]}, f"{CALENDAR}target", in_words
    ),
    "wiki": Attack(farm, {WIKI: [f"http://farm{at}.test/" for at in range(200)]}, "http://farm0.test/", in_words),
    "wildcard": Attack(wildcard, {LINKER: ["http://a.wild.test/"]}, "http://wild.test/", in_words),
    "shared": Attack(
        partial(farm, name="farm{}.github.io"),
        {LINKER: ["http://farm7.github.io/"]},
        "http://farm0.github.io/",
        in_words,
    ),
    "large": Attack(large, {front: ["http://large.test/"] for front in FRONTS[:5]}, "http://large.test/", in_words),
}


class Connection(asyncio.Protocol):
    """One connection; a request comes in one piece."""

    def __init__(self, attack: Attack) -> None:
        self._attack = attack

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        first, *fields = data.decode().split("\r\n")
        host = next(field[6:] for field in fields if field.lower().startswith("host: "))
        status, kind, body = self._reply(f"http://{host}{first.split(' ')[1]}")
        head = f"HTTP/1.1 {status} -\r\nContent-Length: {len(body)}\r\n{kind}\r\n"
        self._transport.write(head.encode() + body)

    def _reply(self, url: str) -> tuple[int, str, bytes]:
        attack, html = self._attack, "Content-Type: text/html\r\n"
        if url.endswith("/robots.txt"):
            return 404, "", b""
        links = attack.links(url)
        if links is None and url == attack.target:
            links = []
        if links is not None:
            anchors = "".join(f'<a href="{link}">to</a> ' for link in links)
            return 200, html, f"<title>{url}</title><p>{attack.says(url)}</p>{anchors}".encode()
        reply = WEB.respond(url)
        added = "".join(f'<p><a href="{link}">to</a></p>' for link in attack.entrances.get(url, ()))
        fields = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
        return reply.status, fields, reply.body.replace(b"</body>", f"{added}</body>".encode())


async def serve(name: str) -> None:
    """Answer on loopback for as long as standard input is open; the port is the first line that is printed."""
    server = await asyncio.get_running_loop().create_server(lambda: Connection(ATTACKS[name]), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


def measure(name: str, options: list[str]) -> str:
    attack = ATTACKS[name]
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        seeds, store = Path(folder) / "seeds.txt", Path(folder) / "crawl.db"
        seeds.write_text("\n".join(WEB.seeds))
        server = subprocess.Popen(
            [sys.executable, __file__, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--store", str(store)]
        command += [
            "--pages",
            str(ANSWERS),
            "--connect-to",
            f"::127.0.0.1:{port}",
            "--allow-private",
            "--delay",
            "0",
            "-q",
            *options,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        server.communicate(b"")
        with open_store(store) as crawled:
            pages = list(crawled.pages())
    read = [page.url for page in pages if page.state == "fetched"]
    his = [page for page in pages if attack.links(page.url) is not None or page.url == attack.target]
    got = sum(page.state == "fetched" for page in his)
    share = sum(page.importance for page in his)
    place = read.index(attack.target) + 1 if attack.target in read else 0
    return f"{name:10} {len(his):7,} {got:7,} {len(read) - got:7,} {share:8.2%} {place:8,}"


def main(arguments: list[str]) -> None:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    print("attack       known    read  honest    share    place", flush=True)
    for name in arguments[:split] or ATTACKS:
        print(measure(name, arguments[split + 1 :]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(sys.argv[2]))
    else:
        main(sys.argv[1:])
