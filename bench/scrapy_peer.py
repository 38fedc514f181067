"""The same crawl by Scrapy: every page of the URL's host, links by its own LinkExtractor. Run by bench/peers.py.

    PYTHON_WITH_SCRAPY bench/scrapy_peer.py URL JOBDIR plain|tuned

"tuned" finds links with lxml alone, and makes no Request of a link it has seen.
"""

import sys
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import scrapy
from lxml import html
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class Spider(scrapy.Spider):  # type: ignore[misc]
    name = "peer"
    handle_httpstatus_all = True

    def __init__(self, url: str, tuned: bool) -> None:
        super().__init__()
        self.start_urls = [url]
        self._host = urlsplit(url).hostname
        self._tuned = tuned
        self._seen: set[str] = set()
        self._extractor = LinkExtractor(
            tags=("a", "area", "frame", "iframe"), attrs=("href", "src"), deny_extensions=[]
        )

    def parse(self, response: Any) -> Any:
        location = response.headers.get("Location")
        if location:
            urls = [urljoin(response.url, location.decode("latin-1"))]
        elif not response.headers.get("Content-Type", b"").startswith(b"text/html") or response.status != 200:
            return
        elif self._tuned:
            links = html.fromstring(response.body).iterlinks()  # type: ignore[attr-defined]
            urls = [urldefrag(urljoin(response.url, link)).url for element, _, link, _ in links if element.tag == "a"]
        else:
            urls = [link.url for link in self._extractor.extract_links(response)]
        for url in urls:
            if self._tuned:
                if url in self._seen:
                    continue
                self._seen.add(url)
            if url.startswith(("http://", "https://")) and urlsplit(url).hostname == self._host:
                yield scrapy.Request(url)


def run(url: str, jobdir: str, kind: str) -> None:
    process = CrawlerProcess(
        {
            "JOBDIR": jobdir,
            "CONCURRENT_REQUESTS": 16,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "DOWNLOAD_DELAY": 0,
            "REDIRECT_ENABLED": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "ERROR",
        }
    )
    process.crawl(Spider, url=url, tuned=kind == "tuned")
    process.start()


if __name__ == "__main__":
    run(*sys.argv[1:])
