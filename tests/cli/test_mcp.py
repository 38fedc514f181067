"""`minicrawl mcp` in a process of its own, asked by the SDK's own client, on pipes and by HTTP."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from support.command_line import HOME
from support.patience import PATIENCE
from support.searching import indexed, page

from minicrawl.installed import adding

SITE: dict[str, Any] = {HOME: page("Home", "sailing boats")}
ASK = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(SITE, tmp_path_factory.mktemp("web") / "crawl.db", HOME)


def words(store: Path, *more: str) -> list[str]:
    return ["-m", "minicrawl", "mcp", "--store", str(store), *more]


@contextmanager
def started(store: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, *words(store, *more)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_it_answers_on_standard_output_and_logs_elsewhere(store: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=words(store, "-v"))
    async with Client(stdio_client(server)) as client:
        found: Any = await client.call_tool("search", {"query": "sailing"})
        assert HOME in found.content[0].text


def test_it_ends_when_its_client_has_died_with_a_call_unanswered(store: Path) -> None:
    with started(store) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(INITIALIZE) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "minicrawl"
        server.stdin.write(json.dumps(ASK) + "\n")
        _, errors = server.communicate(timeout=PATIENCE)
        assert (server.returncode, errors) == (0, "")


@pytest.fixture
def served(store: Path, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address and the token of a server by HTTP."""
    token = tmp_path / "token"
    with started(store, "--port", "0", "--token-file", str(token)) as server:
        assert server.stdout is not None
        address, field = server.stdout.readline().strip(), server.stdout.readline().strip()
        assert field == f"Authorization: Bearer {token.read_text().strip()}"
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        yield address, token.read_text().strip()
        server.send_signal(signal.SIGINT)
        output, errors = server.communicate(timeout=PATIENCE)
        assert (output, errors) == ("", "")


async def test_it_serves_by_http_who_has_the_token(served: tuple[str, str]) -> None:
    address, token = served
    assert address.startswith("http://127.0.0.1:")
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        many = await asyncio.gather(*(client.call_tool("search", {"query": "boats"}) for _ in range(10)))
        assert all(HOME in found.content[0].text for found in many)  # type: ignore[union-attr]
    given = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    for status, headers in (
        (200, given),
        (401, {**given, "Authorization": ""}),
        (401, {**given, "Authorization": f"Bearer {token}x"}),
        (421, {**given, "Host": "evil.test"}),
        (403, {**given, "Origin": "https://evil.test"}),
        (403, {**given, "Sec-Fetch-Site": "cross-site"}),
        (415, {**given, "Content-Type": "text/plain"}),
    ):
        came = httpx.post(
            address, content=json.dumps(INITIALIZE), headers={"Content-Type": "application/json", **headers}
        )
        assert came.status_code == status, headers
        assert token not in came.text
    assert httpx.get(address.replace("/mcp", "/"), headers=given).status_code == 404
    assert httpx.get(address).status_code == 401


def test_without_the_extra_it_says_how_to_get_it(store: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from minicrawl.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "mcp", "--store", str(store)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    sentence = f"Error: minicrawl mcp needs mcp; run: {adding('mcp')}\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", sentence)
