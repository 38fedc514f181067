"""The webs that are crawled: generated ones, and documentation that packages of registries have.

Nobody needs files of ours. No host has a robots.txt, so all crawlers may fetch the same.
"""

import mimetypes
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree, html
from public.peers import UnavailableError, run, run_pip
from public.server import Reply

from minicrawl.demo.web import DemoWeb
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, pagerank

LOCAL = "127.0.0.1"
_LINKING = {"a", "area", "frame", "iframe"}
_TEXTS = {".html", ".htm", ".css", ".js", ".txt", ".svg"}


class Package(NamedTuple):
    """Documentation in a package: of PyPI by version, of Debian as the machine's release has it.

    folder: of the HTML in the package; home: the page to begin with.
    """

    name: str
    registry: str
    requirement: str
    folder: str
    home: str
    licence: str


PACKAGES = (
    Package("eric", "PyPI", "eric-ide==26.10", "eric7/Documentation/Source", "index.html", "GPL-3.0-or-later"),
    Package("pygame", "PyPI", "pygame==2.6.1", "pygame/docs/generated", "index.html", "LGPL-2.1"),
)
DEBIAN = (
    Package("python", "Debian", "python3.11-doc", "usr/share/doc/python3.11/html", "index.html", "PSF-2.0"),
    Package(
        "postgresql", "Debian", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", "index.html", "PostgreSQL"
    ),
)


@dataclass(frozen=True)
class Web:
    """The answers of a web by URL."""

    seeds: tuple[str, ...]
    replies: dict[str, Reply]

    def is_html(self, url: str) -> bool:
        return self.replies[url][1].get("Content-Type", "").startswith("text/html")


class Walked(NamedTuple):
    """The pages that the seeds lead to, in the order of discovery, and the links between them.

    importance: shape (pages,): PageRank with damping .85 and jumps to all pages alike.
    """

    urls: list[str]
    graph: Graph
    importance: FloatArray


def generated(seed: int, hosts: int, pages: int) -> Web:
    """A web of the demo, every URL of it that links lead to."""
    web = DemoWeb.generate(seed, hosts, pages)

    def respond(url: str) -> Reply | None:
        reply = web.respond(url)
        return (reply.status, dict(reply.headers), reply.body) if reply.status != 404 else None

    names = {f"http://{host}" for host in web.hosts}
    return Web(
        web.seeds, {url: reply for url, reply, _ in _walk(web.seeds, respond) if reply and url.startswith(tuple(names))}
    )


def documentation(packages: Sequence[Package], cache: Path, host: str | None = None) -> Web:
    """The documentation of packages, each on a host of its own, or in folders of one. Raises UnavailableError."""
    replies: dict[str, Reply] = {}
    homes = []
    for package in packages:
        start = f"http://{host}/{package.name}/" if host else f"http://{package.name}.test/"
        homes.append(start + package.home)
        root = _unpacked(package, cache) / package.folder
        if not root.is_dir():
            raise UnavailableError(f"{package.requirement} has no folder {package.folder}")
        for file in sorted(root.rglob("*")):
            if file.suffix in _TEXTS and file.is_file():
                kind = mimetypes.guess_type(file.name)[0] or "text/plain"
                url = start + file.relative_to(root).as_posix().replace(" ", "%20")
                replies[url] = (200, {"Content-Type": kind}, file.read_bytes())
                if file.name == "index.html":
                    replies[url.removesuffix("index.html")] = replies[url]
    if host is None:
        return Web(tuple(homes), replies)
    links = "".join(f'<p><a href="{urlsplit(url).path}">{urlsplit(url).path}</a>' for url in homes)
    replies[f"http://{host}/"] = (
        200,
        {"Content-Type": "text/html"},
        f"<!doctype html><title>All</title>{links}".encode(),
    )
    return Web((f"http://{host}/",), replies)


def walked(web: Web) -> Walked:
    """The graph of a web, its redirects followed. Links to other hosts do not count."""
    hosts = {urlsplit(url).hostname for url in web.replies}
    links: dict[str, list[str]] = {}
    aliases: dict[str, str] = {}
    for url, reply, targets in _walk(web.seeds, web.replies.get):
        links[url] = [target for target in targets if urlsplit(target).hostname in hosts and target != url]
        if reply is not None and "Location" in reply[1] and links[url]:
            aliases[url] = links[url][0]
    urls = [url for url in links if url not in aliases and urlsplit(url).hostname in hosts]
    number = {url: page for page, url in enumerate(urls)}
    ends = {url: _end(url, aliases) for url in links}
    graph = Graph.from_links(
        [[number[end] for target in links[url] if (end := ends[target]) in number and end != url] for url in urls]
    )
    return Walked(urls, graph, pagerank(graph, tolerance=1e-13))


def links_of(body: bytes, url: str) -> list[str]:
    """Distinct http URLs that a page links to, in order, found by lxml: nothing of minicrawl is in the truth."""
    try:
        tree: Any = html.document_fromstring(body, base_url=url)
    except etree.ParserError:
        return []
    tree.make_links_absolute(handle_failures="discard")
    links = (urldefrag(link).url for element, _, link, _ in tree.iterlinks() if element.tag in _LINKING)
    return list(dict.fromkeys(link if urlsplit(link).path else f"{link}/" for link in links if link[:7] == "http://"))


def _walk(
    seeds: Iterable[str], respond: Callable[[str], Reply | None]
) -> Iterator[tuple[str, Reply | None, list[str]]]:
    """Every URL that the seeds lead to, with its answer and the URLs that this leads to."""
    queue = list(seeds)
    known = set(queue)
    for url in queue:
        reply = respond(url)
        targets: list[str] = []
        if reply is not None and "Location" in reply[1]:
            targets = [urljoin(url, reply[1]["Location"])]
        elif reply is not None and reply[1].get("Content-Type", "").startswith("text/html"):
            targets = links_of(reply[2], url)
        yield url, reply, targets
        queue += [target for target in targets if target not in known]
        known.update(targets)


def _end(url: str, aliases: dict[str, str]) -> str:
    for _ in range(9):
        url = aliases.get(url, url)
    return url


def _unpacked(package: Package, cache: Path) -> Path:
    """The folder of an unpacked package, downloaded by its registry's own client. Raises UnavailableError."""
    folder = cache / "packages" / package.name / package.requirement
    if (folder / "unpacked").is_dir():
        return folder / "unpacked"
    if package.registry == "PyPI":
        # The wheel of one platform, wherever this runs: its documentation is the same everywhere.
        wheels = ["--only-binary", ":all:", "--python-version", "3.11", "--platform", "manylinux2014_x86_64"]
        run_pip("download", "--no-deps", *wheels, package.requirement, folder=folder)
    else:
        run(["apt-get", "download", package.requirement], folder)
    (file,) = (path for path in folder.iterdir() if path.suffix in {".whl", ".deb"})
    if file.suffix == ".deb":
        run(["dpkg-deb", "-x", str(file), str(folder / "new")])
    else:
        zipfile.ZipFile(file).extractall(folder / "new")
    (folder / "new").rename(folder / "unpacked")
    return folder / "unpacked"
