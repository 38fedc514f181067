"""Pages fetched and parsed in this process, and the specification of a source."""

from collections.abc import Callable

import pytest
from support.effort import loaded_by
from support.misbehaving import answer
from support.prose import prose
from support.raw_server import Server, all_names_at, says

from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.model import Fetched, PageRequest, ParsedPage, SitemapAnswer, Wanted

HOME = "http://h.test/"
LITTLE = Wanted()


async def asked(
    server: Server, ask: Callable[[LocalSource], object], wanted: Wanted = LITTLE, **settings: object
) -> object:
    async with server:
        given = all_names_at(server.port, **settings)
        async with LocalSource(SourceSpec(given, wanted=wanted)) as source:
            return await ask(source)  # type: ignore[misc]


async def page(
    content: bytes, *fields: str, url: str = HOME, wanted: Wanted = LITTLE, **settings: object
) -> tuple[Fetched, ParsedPage]:
    reply = answer(content, "Content-Type: text/html", *fields)
    found = await asked(says(reply), lambda source: source.page(PageRequest(url)), wanted, **settings)
    assert isinstance(found, tuple)
    return found


LINKS = b'<a href="/a?utm_source=x">the a</a><a href=/b>b</a>'


async def test_a_page_comes_without_its_body_and_with_what_it_can_be_told_by() -> None:
    content = prose(1, 300).encode() + LINKS
    fetched, parsed = await page(content, url=HOME + "x")
    assert (fetched.status, fetched.body, fetched.size) == (200, b"", len(content))
    assert parsed.outlinks == (HOME + "a", HOME + "b")
    told_by = (fetched.digest, fetched.payload, fetched.sketch)
    assert None not in told_by
    same, _ = await page(content, url=HOME + "y")
    other, _ = await page(prose(2, 300).encode() + LINKS, url=HOME + "x")
    assert (same.payload, same.sketch) == told_by[1:]
    assert {other.digest, other.payload, other.sketch}.isdisjoint(told_by)


@pytest.mark.parametrize(
    ("keeps", "outlinks"), [(False, (HOME + "a", HOME + "b")), (True, (HOME + "a?utm_source=x", HOME + "b"))]
)
async def test_parameters_that_only_say_where_one_came_from_go_unless_they_are_kept(
    keeps: bool, outlinks: tuple[str, ...]
) -> None:
    _, parsed = await page(LINKS, url=HOME + "x", keep_parameters=keeps)
    assert parsed.outlinks == outlinks


async def test_the_urls_of_a_sitemap_are_given_as_they_are_read() -> None:
    lines = "\n".join(f"{HOME}{number}?utm_source=x" for number in range(2_500))
    given: list[tuple[int, bool]] = []
    urls: list[str] = []

    def give(some: list[str], is_index: bool, _: dict[str, float]) -> None:
        given.append((len(some), is_index))
        urls.extend(some)

    server = says(answer(lines.encode(), "Content-Type: text/plain"))
    found = await asked(server, lambda source: source.sitemap(HOME + "sitemap.txt", give))
    assert isinstance(found, SitemapAnswer)
    assert (found.reason, found.found) == ("ok", 2_500)
    assert urls == [f"{HOME}{number}" for number in range(2_500)]
    assert len(given) > 1
    assert not any(is_index for _, is_index in given)
    assert max(count for count, _ in given) < 2_500


def test_a_worker_loads_nothing_that_few_crawls_or_pages_need() -> None:
    few_need = ["minicrawl.parts.render.renderer", "minicrawl.parts.pdf.documents", "minicrawl.crawler.frontier"]
    few_need += ["minicrawl.archive.", "minicrawl.opic", "minicrawl.rank", "scipy", "httpx", "lxml"]
    few_need += ["urllib.request", "chardetng_py"]
    names = loaded_by("import minicrawl.crawler.sources.worker")
    assert [name for name in names if name.startswith(tuple(few_need))] == []
