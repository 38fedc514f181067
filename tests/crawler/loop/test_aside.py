"""What is done in a thread: all of it, and its result or exception comes back."""

import asyncio
import threading

import pytest

from minicrawl.crawler.loop.aside import Aside


def test_result_and_exception_come_back() -> None:
    async def run() -> None:
        aside = Aside()
        assert await aside.do(threading.current_thread) is not threading.current_thread()
        with pytest.raises(ZeroDivisionError):
            await aside.do(lambda: 1 // 0)
        aside.end()

    asyncio.run(run())


def test_what_was_begun_is_done_also_if_it_is_cancelled() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        may_end.wait(60)
        done.append(1)

    async def run() -> None:
        aside = Aside()
        task = asyncio.create_task(aside.do(work))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done
        aside.end()

    asyncio.run(run())
