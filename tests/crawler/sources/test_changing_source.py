"""The source that requests are put to, replaced while the crawl runs."""

import asyncio
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from support.raw_server import Server
from support.sites import faults_in, rows

from minicrawl import Crawl
from minicrawl.crawler.sources.changing_source import ChangingSource
from minicrawl.timing import Timing

HOSTS, PAGES = 4, 60


class Source:
    """Notes when it is opened and closed, and how many workers it has."""

    def __init__(self, workers: int = 0) -> None:
        self.number = workers
        self.log: list[str] = []

    async def set_workers(self, number: int) -> None:
        self.number = number

    def workers(self) -> list[int]:
        return list(range(self.number))

    async def __aenter__(self) -> "Source":
        self.log.append("open")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.log.append("closed")


def test_a_source_that_was_replaced_is_closed_when_its_last_answer_is_in() -> None:
    async def main() -> None:
        made: list[Source] = []

        def source(workers: int = 0) -> Any:
            made.append(Source(workers))
            return made[-1]

        async with ChangingSource(0, source, source) as changing:
            first, second = changing.begin(), changing.begin()
            await changing.set_workers(0)
            assert len(made) == 1
            await changing.set_workers(3)
            assert len(changing.workers()) == 3
            third = changing.begin()
            assert [cast("Any", each) for each in (first, second, third)] == [made[0], made[0], made[1]]
            await changing.set_workers(5)
            assert (made[1].number, len(made)) == (5, 2)
            changing.end(first)
            await asyncio.sleep(0)
            assert made[0].log == ["open"]
            changing.end(second)
            await asyncio.sleep(0)
            assert made[0].log == ["open", "closed"]
            await changing.set_workers(0)
            await changing.set_workers(1)
            await asyncio.sleep(0)
            assert [each.log for each in made[1:]] == [["open"], ["open", "closed"], ["open"]]
        assert all(each.log == ["open", "closed"] for each in made)

    asyncio.run(main())


@pytest.mark.slow
def test_workers_come_and_go_and_nothing_is_lost_or_asked_twice_or_too_soon(tmp_path: Path) -> None:
    """Real processes and sockets: from none to 2, 4, 1, none and 3, while the crawl runs; each host at its own pace."""
    asked: Counter[str] = Counter()
    times: defaultdict[str, list[float]] = defaultdict(list)
    delay, let = 0.02, 0  # requests to be answered by now: none ends the crawl before it has had all its changes
    # The server, which is in this process, may be late to see a request, and to answer it.
    timing = Timing(on_its_way=60.0, read=600.0)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            lines = (await server.head(reader)).decode().split("\r\n")
            path, host = lines[0].split()[1], next(line[6:] for line in lines if line.lower().startswith("host:"))
            asked[f"http://{host}{path}"] += 1
            times[host].append(asyncio.get_running_loop().time())
            while sum(asked.values()) > let:
                await asyncio.sleep(0.005)
            links = [f"http://h{number}.test/{page}" for number in range(HOSTS) for page in range(PAGES)]
            body = "".join(f'<a href="{link}">{link}</a>' for link in links if path == "/").encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()

    server = Server(talk)

    async def main() -> None:
        nonlocal let
        async with (
            server,
            Crawl(
                "http://h0.test/",
                tmp_path / "crawl.db",
                connect_to=f"::127.0.0.1:{server.port}",
                allow_private=True,
                ignore_robots=True,
                traps=False,
                probe=False,
                delay=delay,
                ip_delay=0,
                timeout=600.0,
                timing=timing,
            ) as crawl,
        ):
            for number, pages in zip((2, 4, 1, 0, 3, 0), (20, 50, 90, 130, 160, 200), strict=True):
                let = pages
                while sum(asked.values()) < pages:
                    await asyncio.sleep(0.005)
                await crawl.adjust(workers=number)
                assert len(crawl.status.workers) >= number
            let = 10**9
            report = await crawl.finished()
        assert report.reason == "nothing-left"

    asyncio.run(main())
    assert len(asked) == HOSTS * PAGES + 1
    assert set(asked.values()) == {1}
    assert all(later - earlier > 0.9 * delay for host in times.values() for earlier, later in pairwise(host))
    assert rows(tmp_path / "crawl.db", "SELECT state, count(*) FROM pages GROUP BY 1") == [
        ("fetched", HOSTS * PAGES + 1)
    ]
    assert faults_in(tmp_path / "crawl.db") == []
