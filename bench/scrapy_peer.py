"""The same crawl by Scrapy: every page of the seeds' hosts, links by its own LinkExtractor. Run by bench/peers.py.

    PYTHON_WITH_SCRAPY bench/scrapy_peer.py SEEDS CONNECT_TO JOBDIR plain|tuned

"tuned" finds links with lxml alone, and makes no Request of a link it has seen. Prints how many pages answered.
"""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import scrapy
from lxml import html
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

_PORTS = {"http": "80", "https": "443"}


class ConnectTo:
    """Sends requests where the rules HOST:PORT:ADDRESS:PORT say, under the name they were asked for."""

    def __init__(self, rules: dict[tuple[str, str], str]) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ConnectTo":
        return cls(crawler.settings["CONNECT_TO_RULES"])

    def process_request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        request.meta["asked"] = request.url
        request.headers["Host"] = parts.netloc
        target = self._rules[parts.hostname or "", str(parts.port or _PORTS[parts.scheme])]
        request._set_url(parts._replace(netloc=target).geturl())

    def process_response(self, request: Any, response: Any) -> Any:
        request._set_url(request.meta["asked"])
        return response.replace(url=request.meta["asked"])


class Spider(scrapy.Spider):  # type: ignore[misc]
    name = "peer"
    handle_httpstatus_all = True

    def __init__(self, seeds: list[str], tuned: bool) -> None:
        super().__init__()
        self.start_urls = seeds
        self._hosts = {urlsplit(url).hostname for url in seeds}
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
            if url.startswith(("http://", "https://")) and urlsplit(url).hostname in self._hosts:
                yield scrapy.Request(url)


def run(seeds: Path, connect_to: Path, jobdir: str, kind: str) -> None:
    rules = {}
    for line in connect_to.read_text().split():
        host, port, address, to_port = line.split(":")
        rules[host, port] = f"{address}:{to_port}"
    process = CrawlerProcess(
        {
            "CONNECT_TO_RULES": rules,
            "DOWNLOADER_MIDDLEWARES": {ConnectTo: 950},
            "JOBDIR": jobdir,
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "REDIRECT_ENABLED": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "ERROR",
        }
    )
    crawler = process.create_crawler(Spider)
    process.crawl(crawler, seeds=seeds.read_text().split(), tuned=kind == "tuned")
    process.start()
    print(crawler.stats.get_value("downloader/response_count"))


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
