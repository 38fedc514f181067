"""The post between processes: real sockets, real bytes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from support.cluster_runs import folder_at

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.post import Post, SocketPost, delivered
from minicrawl.errors import CrawlEndedError, MinicrawlError
from minicrawl.store.transfers import OutboxRow


@pytest.fixture(params=["web", "a" * 120], ids=["short", "too long for a socket"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    return folder_at(tmp_path / str(request.param), 2)


def row(number: int, records: bytes = b"\n{}\n\0") -> OutboxRow:
    return OutboxRow(1, number, 2**60 + number, records)


class Home:
    """Takes all rows but those that it is to fail over."""

    def __init__(self, error: Exception | None = None) -> None:
        self.rows: list[tuple[int, OutboxRow]] = []
        self._error = error

    def take(self, source: int, rows: Sequence[OutboxRow]) -> "asyncio.Future[int]":
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        if self._error is None:
            self.rows += [(source, row) for row in rows]
            answer.set_result(rows[-1].number)
        else:
            answer.set_exception(self._error)
        return answer


def sent(folder: Folder, home: Home, act: Callable[[Post], Awaitable[int]]) -> int:
    async def deliver() -> int:
        async with delivered(folder.stores[1], {1: home}):
            return await posted(folder, act)

    return asyncio.run(deliver())


async def posted(folder: Folder, act: Callable[[Post], Awaitable[int]]) -> int:
    carrier = SocketPost(folder.stores)
    try:
        return await act(Post({}, carrier))
    finally:
        await carrier.aclose()


def test_rows_arrive_as_they_were_sent(folder: Folder) -> None:
    home, rows = Home(), [row(1), row(2, b""), row(3, bytes(range(256)) * 4096)]
    assert sent(folder, home, lambda post: post.send(0, 1, rows)) == 3
    assert home.rows == [(0, one) for one in rows]


def test_what_is_too_much_for_a_message_comes_with_the_next(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2)
    home, rows = Home(), [row(number) for number in range(1, 1501)]
    assert sent(folder, home, lambda post: post.send(0, 1, rows)) == 1000
    large = [row(1, b"x"), row(2, bytes(2**26)), row(3)]
    assert sent(folder, home, lambda post: post.send(0, 1, large)) == 1
    assert sent(folder, home, lambda post: post.send(0, 1, large[1:])) == 2


def test_who_has_not_taken_it_has_not_confirmed_it(folder: Folder) -> None:
    home = Home(CrawlEndedError("the crawl has ended"))
    with pytest.raises(MinicrawlError, match="has ended"):
        sent(folder, home, lambda post: post.send(0, 1, [row(1)]))
    with pytest.raises(MinicrawlError, match="does not listen"):
        asyncio.run(posted(folder, lambda post: post.send(0, 1, [row(1)])))
