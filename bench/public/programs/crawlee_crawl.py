"""A crawl by Crawlee for Python with its ParselCrawler: every page of the URL's host.

PYTHON crawlee_crawl.py FOLDER URL
"""

import asyncio
import logging
import sys
from typing import Any

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler
from crawlee.storage_clients import MemoryStorageClient


async def crawl(folder: str, url: str) -> None:
    crawler: Any = ParselCrawler(
        concurrency_settings=ConcurrencySettings(min_concurrency=16, desired_concurrency=16, max_concurrency=16),
        max_request_retries=0,
        configure_logging=False,
        configuration=Configuration(storage_dir=folder),
        storage_client=MemoryStorageClient(),
    )

    async def handle(context: Any) -> None:
        await context.enqueue_links(strategy="same-hostname", selector="a, area")

    crawler.router.default_handler(handle)
    await crawler.run([url])


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(crawl(*sys.argv[1:]))
