"""The MCP server of a crawl, asked by the SDK's own client in this process."""

import asyncio
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, MCPError
from support.searching import damage, indexed, page
from support.sites import HOME, rows
from support.steering import Steered, steered, wide

from minicrawl.assistant.answers import TOOLS
from minicrawl.assistant.serving import server_of
from minicrawl.control.commands import listening
from minicrawl.errors import StoreError
from minicrawl.search.index_folder import index_path

ODD = f"{HOME}a%2Fb?c=d&e=%C3%A9"
SITE: dict[str, Any] = {HOME: page("Home", "sailing boats", (ODD, "odd")), ODD: page("Odd", "an odd address")}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("assistant")
    indexed(SITE, folder / "crawl.db", HOME)
    return folder


@pytest.fixture
def store(crawled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(crawled, tmp_path, dirs_exist_ok=True) / "crawl.db"


async def told(client: Client, tool: str, **given: Any) -> str:
    """The answer of a tool, which is text alone."""
    result: Any = await client.call_tool(tool, given)
    (content,) = result.content
    assert result.structured_content is None
    assert not result.is_error, content.text
    return str(content.text)


async def test_tools_say_that_they_read_and_what_is_the_webs(store: Path) -> None:
    async with Client(server_of(store)) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.__name__ for tool in TOOLS]
        for tool in tools:
            assert tool.description
            assert "Raises" not in tool.description
            assert tool.annotations is not None
            assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, True)
            assert "store" not in tool.input_schema["properties"]
            assert tool.output_schema is None
        assert "data" in str(client.instructions)


async def test_a_page_is_a_resource_whatever_its_address(store: Path) -> None:
    async with Client(server_of(store)) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "page:///{url}"
        for url, words in ((HOME, "sailing boats"), (ODD, "an odd address")):
            (content,) = (await client.read_resource(f"page:///{quote(url, safe='')}")).contents
            assert content.mime_type == "text/markdown"
            assert words in content.text  # type: ignore[union-attr]
            assert "<web-text-" in content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="is not known to this crawl"):
            await client.read_resource(f"page:///{quote('http://b.test/', safe='')}")


FAILING: list[tuple[str, dict[str, Any], str]] = [
    ("read_page", {"url": "http://b.test/"}, "is not known to this crawl"),
    ("why", {"url": "x" * 10**6}, "xxx"),
    ("links", {"external": "python.org"}, "external: input should be a valid boolean"),
    ("links", {"external": True, "x\n" * 10**6: 1}, "links has no argument 'x\\nx"),
    ("read_page", {"limit": 5}, "url: field required; give it url (string), offset (integer), limit"),
    ("search", {"query": "sailing", "limit": 5}, "search has no argument 'limit'; give it query (string), n (integer)"),
    ("status", {"verbose": True}, "status has no argument 'verbose'; give it none"),
    ("control", {"command": "halt"}, "command: input should be 'pause', 'resume', 'stop'"),
    ("nosuch", {}, "Unknown tool"),
]


async def test_what_fails_is_one_sentence(store: Path) -> None:
    async with Client(server_of(store, allows_control=True)) as client:
        for tool, given, problem in FAILING:
            result: Any = await client.call_tool(tool, given)
            assert result.is_error
            assert problem in result.content[0].text
            assert "\n" not in result.content[0].text
            assert "pydantic" not in result.content[0].text
            assert len(result.content[0].text) < 1_100


async def test_a_damaged_store_is_one_sentence(store: Path) -> None:
    async with Client(server_of(store)) as client:
        await told(client, "top")
        rows(store, "UPDATE pages SET url = 7 WHERE id = 0")
        rows(store, "DROP TABLE links")
        result: Any = await client.call_tool("links", {"broken": True})
        assert result.is_error
        assert "\n" not in result.content[0].text
        assert "damaged" in result.content[0].text


async def test_a_damaged_index_is_one_sentence_and_the_server_goes_on(store: Path) -> None:
    async with Client(server_of(store)) as client:
        damage(index_path(store))
        result: Any = await client.call_tool("search", {"query": '"sailing boats"'})
        assert result.is_error
        assert "is damaged; 'minicrawl index --rebuild'" in result.content[0].text
        assert "Home" in await told(client, "top")


async def test_calls_at_a_time_do_not_disturb_each_other(store: Path) -> None:
    async with Client(server_of(store)) as client:
        words = ("sailing", "odd") * 10
        found = await asyncio.gather(*(told(client, "search", query=each) for each in words))
        for word, text in zip(words, found, strict=True):
            assert ("Odd" in text) == (word == "odd")


async def test_a_running_crawl_is_read_and_steered_if_that_is_allowed(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    server = Steered(wide())
    async with steered(server, store, text=True) as crawl, listening(crawl, store):
        await server.until(4)
        server.open.clear()  # lest the crawl is over before it is asked
        async with Client(server_of(store, allows_control=True)) as client:
            assert '{"running":true}' in await told(client, "status")
            control = (await client.list_tools()).tools[-1]
            assert control.annotations is not None
            assert (control.name, control.annotations.read_only_hint) == ("control", False)
            assert '"state": "paused"' in await told(client, "control", command="pause")
            server.open.set()
            assert '"new": 1' in await told(client, "control", command="add", value="http://b.test/")
            assert '"host": "b.test"' in await told(client, "control", command="ban", value="b.test")
            result: Any = await client.call_tool("control", {"command": "add", "value": "/etc/passwd"})
            assert result.is_error
            assert "is not an http or https URL" in result.content[0].text
            await told(client, "control", command="resume")
        await crawl.stop()


def test_there_is_no_server_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        server_of(tmp_path / "crawl.db")
