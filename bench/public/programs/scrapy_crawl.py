"""A crawl by Scrapy: every page of the hosts, links by its own LinkExtractor.

    PYTHON scrapy_crawl.py JOBDIR plain|tuned|breadth-first HOSTS URL...

plain: in Scrapy's own order, depth first. tuned: links by lxml alone, and no Request for a link that was seen.
breadth-first: as Scrapy's documentation says. HOSTS: apart by commas, or "any".
"""

import sys
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import scrapy
from lxml import html
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

BREADTH_FIRST = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class Spider(scrapy.Spider):  # type: ignore[misc]
    name = "peer"
    handle_httpstatus_all = True

    def __init__(self, urls: list[str], hosts: str, tuned: bool) -> None:
        super().__init__()
        self.start_urls = urls
        self._hosts = None if hosts == "any" else set(hosts.split(","))
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
            if url.startswith("http://") and (self._hosts is None or urlsplit(url).hostname in self._hosts):
                yield scrapy.Request(url)


def run(jobdir: str, kind: str, hosts: str, *urls: str) -> None:
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
            **(BREADTH_FIRST if kind == "breadth-first" else {}),
        }
    )
    process.crawl(Spider, urls=list(urls), hosts=hosts, tuned=kind == "tuned")
    process.start()


if __name__ == "__main__":
    run(*sys.argv[1:])
