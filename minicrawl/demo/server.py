"""Serves a generated web over real HTTP on loopback: all hosts on one port, told apart by the Host header.

It runs in the caller's event loop. A crawl reaches it with
connect_to=(ConnectTo(None, None, "127.0.0.1", port),), allow_private=True.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from aiohttp import web as http

from minicrawl.demo.resources import Reply
from minicrawl.demo.web import DemoWeb

_ADDRESS = "127.0.0.1"
_SHUTDOWN_SECONDS = 1.0


def serving(web: DemoWeb, port: int = 0) -> AbstractAsyncContextManager[int]:
    """Serve `web` during the block, and yield the port. 0: any free one.

    Raises OSError if the port is not available.
    """
    return serving_answers(lambda url, _: web.respond(url), port)


@asynccontextmanager
async def serving_answers(respond: Callable[[str, Mapping[str, str]], Reply], port: int = 0) -> AsyncIterator[int]:
    """`serving` for a function that answers a GET of a URL with header fields."""

    async def answer(request: http.BaseRequest) -> http.Response:
        reply = respond(f"http://{request.host.lower()}{request.raw_path}", request.headers)
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        return http.Response(status=reply.status, headers=reply.headers, body=reply.body)

    runner = http.ServerRunner(http.Server(answer, access_log=None), shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        site = http.TCPSite(runner, _ADDRESS, port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
