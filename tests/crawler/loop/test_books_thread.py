"""What is done in a thread: all of it, and its result or exception comes back."""

import asyncio
import threading

import pytest

from minicrawl.crawler.loop.books_thread import BooksThread


def test_result_and_exception_come_back() -> None:
    async def run() -> None:
        thread = BooksThread()
        assert await thread.do(threading.current_thread) is not threading.current_thread()
        with pytest.raises(ZeroDivisionError):
            await thread.do(lambda: 1 // 0)
        thread.end()

    asyncio.run(run())


def test_what_was_begun_is_done_also_if_it_is_cancelled() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        may_end.wait(60)
        done.append(1)

    async def run() -> None:
        thread = BooksThread()
        task = asyncio.create_task(thread.do(work))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done
        thread.end()

    asyncio.run(run())
