"""One time limit for many tasks: whom it breaks off, and who else ends a task."""

import asyncio

import pytest

from minicrawl.crawler.http.fetch import Deadlines


async def stayed(deadlines: Deadlines, answer: asyncio.Future[str]) -> str:
    """Wait for an answer inside the block."""
    try:
        with deadlines:
            return await answer
    except TimeoutError:
        return "timeout"


def test_each_task_has_its_own_deadline() -> None:
    """One that is answered in time, one that is silent, and one that begins when the first one's end has come."""

    async def run() -> list[str]:
        loop, deadlines = asyncio.get_running_loop(), Deadlines(0.01)
        answered, silent, late = (loop.create_future() for _ in range(3))
        loop.call_soon(answered.set_result, "answer")
        first = await asyncio.gather(stayed(deadlines, answered), stayed(deadlines, silent))
        return [*first, await stayed(deadlines, late)]

    assert asyncio.run(run()) == ["answer", "timeout", "timeout"]


def test_a_task_goes_on_after_its_deadline_as_if_never_cancelled() -> None:
    async def run() -> int:
        await stayed(Deadlines(0.0), asyncio.get_running_loop().create_future())
        task = asyncio.current_task()
        assert task is not None
        await asyncio.sleep(0)
        return task.cancelling()

    assert asyncio.run(run()) == 0


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_cancellation_from_outside_is_no_timeout(seconds: float) -> None:
    """Also when the deadline comes in the same turn of the loop."""

    async def run() -> bool:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(stayed(Deadlines(seconds), loop.create_future()))
        await asyncio.sleep(0)
        task.cancel()
        loop.call_later(0.001, task.cancel)
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(run())


def test_errors_of_the_block_pass() -> None:
    async def run() -> None:
        with Deadlines(60.0):
            raise ValueError("from inside")

    with pytest.raises(ValueError, match="from inside"):
        asyncio.run(run())
