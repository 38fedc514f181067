"""A loop of thirty lines, as many write one: sixteen tasks, httpx and selectolax, URLs by urljoin.

PYTHON httpx_crawl.py URL
"""

import asyncio
import sys
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
from selectolax.lexbor import LexborHTMLParser


async def crawl(start: str) -> None:
    seen, queue = {start}, asyncio.Queue[str]()
    queue.put_nowait(start)

    async def work(client: httpx.AsyncClient) -> None:
        while True:
            url = await queue.get()
            try:
                answer = await client.get(url, follow_redirects=True)
                if answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/html"):
                    for link in LexborHTMLParser(answer.content).css("a[href]"):
                        target = urldefrag(urljoin(str(answer.url), link.attributes["href"] or "")).url
                        if target not in seen and urlsplit(target).netloc == urlsplit(start).netloc:
                            seen.add(target)
                            queue.put_nowait(target)
            except (httpx.HTTPError, ValueError):
                pass
            finally:
                queue.task_done()

    async with httpx.AsyncClient() as client:
        workers = [asyncio.create_task(work(client)) for _ in range(16)]
        await queue.join()
        for worker in workers:
            worker.cancel()


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1]))
