"""A crawl by crawl4ai without a browser: best first, the shallow paths first, as no topic is asked for.

PYTHON crawl4ai_crawl.py PAGES URL
"""

import asyncio
import os
import sys
from typing import Any

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, HTTPCrawlerConfig, ProxyConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.deep_crawling.scorers import PathDepthScorer


async def crawl(pages: int, url: str) -> None:
    best_first: Any = BestFirstCrawlingStrategy(
        max_depth=1000, include_external=True, url_scorer=PathDepthScorer(optimal_depth=0), max_pages=pages
    )
    config: Any = CrawlerRunConfig(
        deep_crawl_strategy=best_first,
        proxy_config=ProxyConfig(server=os.environ["http_proxy"]),
        cache_mode=CacheMode.BYPASS,
        verbose=False,
    )
    strategy: Any = AsyncHTTPCrawlerStrategy(browser_config=HTTPCrawlerConfig())
    async with AsyncWebCrawler(crawler_strategy=strategy) as crawler:
        await crawler.arun(url, config=config)


if __name__ == "__main__":
    asyncio.run(crawl(int(sys.argv[1]), sys.argv[2]))
