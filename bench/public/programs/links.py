"""References resolved and links found by a library, as it is commonly used.

    PYTHON links.py LIBRARY < QUESTION

The question is JSON: `references`, pairs of a reference and its base or null; `pages`, of URL, Content-Type and body in
base64. The answer has in `resolved` a URL or null for each reference, and in `found` the URLs that each page links to,
null for a page on which the library failed.
"""

import base64
import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urljoin

Resolve = Callable[[str, str | None], str]
Extract = Callable[[str, str, bytes], Iterable[str]]


def by_urljoin(reference: str, base: str | None) -> str:
    return urljoin(base or "", reference)


def by_w3lib(reference: str, base: str | None) -> str:
    url: Any = import_module("w3lib.url")
    return str(url.safe_url_string(urljoin(base or "", reference.strip())))


def by_yarl(reference: str, base: str | None) -> str:
    url: Any = import_module("yarl").URL
    return str(url(base).join(url(reference)) if base else url(reference))


def by_httpx(reference: str, base: str | None) -> str:
    url: Any = import_module("httpx").URL
    return str(url(base).join(reference) if base else url(reference))


def _joined(references: Iterable[str | None], base: str | None, url: str) -> Iterator[str]:
    base = urljoin(url, base or "")
    for reference in references:
        try:
            yield urljoin(base, (reference or "").strip())
        except ValueError:
            continue


def of_lxml(url: str, _: str, body: bytes) -> Iterable[str]:
    tree = import_module("lxml.html").parse(io.BytesIO(body)).getroot()
    links = tree.xpath("//a/@href | //area/@href | //frame/@src | //iframe/@src")
    return _joined(links, next(iter(tree.xpath("//base/@href")), None), url)


def of_selectolax(url: str, _: str, body: bytes) -> Iterable[str]:
    tree: Any = import_module("selectolax.lexbor").LexborHTMLParser(body)
    base = tree.css_first("base[href]")
    found = [one.attributes.get("href") for one in tree.css("a[href], area[href]")]
    found += [one.attributes.get("src") for one in tree.css("frame[src], iframe[src]")]
    return _joined(found, base and base.attributes.get("href"), url)


def of_soup(url: str, _: str, body: bytes) -> Iterable[str]:
    tree: Any = import_module("bs4").BeautifulSoup(body, "html.parser")
    base = tree.find("base", href=True)
    links = tree.find_all(["a", "area"], href=True) + tree.find_all(["frame", "iframe"], src=True)
    return _joined([link.get("href") or link.get("src") for link in links], base and base["href"], url)


def of_scrapy(url: str, kind: str, body: bytes) -> Iterable[str]:
    extractor: Any = import_module("scrapy.linkextractors").LinkExtractor
    response = import_module("scrapy.http").HtmlResponse(url, headers={"Content-Type": kind}, body=body)
    tags = ("a", "area", "frame", "iframe")
    return [
        link.url for link in extractor(tags=tags, attrs=("href", "src"), deny_extensions=[]).extract_links(response)
    ]


RESOLVERS: dict[str, Resolve] = {"urllib.parse": by_urljoin, "Scrapy": by_w3lib, "yarl": by_yarl, "httpx": by_httpx}
EXTRACTORS: dict[str, Extract] = {
    "lxml": of_lxml,
    "selectolax": of_selectolax,
    "Beautiful Soup": of_soup,
    "Scrapy": of_scrapy,
}


def tried(work: Callable[..., Any], *given: Any) -> Any:
    """The result of some work; None for whatever error a library raises."""
    try:
        return work(*given)
    except Exception:
        return None


def main() -> None:
    question = json.load(sys.stdin)
    resolve, extract = RESOLVERS.get(sys.argv[1]), EXTRACTORS.get(sys.argv[1])
    pages = [(url, kind, base64.b64decode(body)) for url, kind, body in question["pages"]]
    started = time.process_time()
    found = [tried(lambda *page: list(extract(*page)), *page) for page in pages] if extract else None
    seconds = time.process_time() - started
    resolved = [tried(resolve, *one) for one in question["references"]] if resolve else None
    print(json.dumps({"resolved": resolved, "found": found, "seconds": seconds}))


if __name__ == "__main__":
    main()
