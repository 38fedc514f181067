"""The dashboard listens on loopback alone, and on the port that it was given."""

import asyncio
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.browsing import Browser

from minicrawl.dashboard.one_store import StoreReadings
from minicrawl.dashboard.serving import serving
from minicrawl.errors import SettingError


def test_it_has_a_token_of_its_own_each_time(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(StoreReadings(tmp_path / "a.db")) as one, serving(StoreReadings(tmp_path / "b.db")) as other:
            tokens = {urlsplit(address).fragment for address in (one, other)}
            assert len(tokens) == 2
            assert all(len(token) > 32 for token in tokens)
            assert urlsplit(one).hostname == "127.0.0.1"
            assert (await Browser(one).now())["store"].endswith("a.db")
            stolen = Browser(one)
            stolen.token = Browser(other).token
            assert (await stolen.ask("/api/now")).status == 401

    asyncio.run(main())


def test_a_token_may_be_given(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(StoreReadings(tmp_path / "a.db"), token="x" * 20) as address:
            assert address.endswith("/#token=" + "x" * 20)

    asyncio.run(main())


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    async def main(port: int) -> None:
        async with serving(StoreReadings(tmp_path / "a.db"), port):
            pass

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingError, match=f"--port {port} cannot be had"):
            asyncio.run(main(port))
