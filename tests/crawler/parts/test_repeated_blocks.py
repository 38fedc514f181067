"""What a host repeats: learned while a crawl keeps texts, and left out of the content of its pages."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from support.intakes import intake_of, page_of, take_turn
from support.sites import Site, crawl, rows

from minicrawl.crawler.html.page_text import block_hashes, block_ids
from minicrawl.crawler.parts.repeated_blocks import MOST_HOSTS, HostPictures
from minicrawl.export.markdown import as_markdown
from minicrawl.model import Fetched, PageRequest, ParsedPage
from minicrawl.search.index.words import page_words
from minicrawl.store.reader import open_store
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks, template
from minicrawl.store.writer import Writer

HOST = "http://a.test/"
TOPICS = ["badgers", "lanterns", "glaciers", "violins", "saffron", "harbours", "comets", "looms"]
COOKIES = (
    "<div>We and our partners keep cookies on this device, to measure how these pages are read, as told below.</div>"
)


def content(topic: str) -> tuple[str, str]:
    """The main content of a page, in two parts, and as Markdown."""
    return (
        f"<h1>About {topic}</h1><p>Few know as much of {topic} as those who keep {topic} at home, year after year.</p>"
        f"<h2>Example</h2><pre>import shared</pre><h2>See also</h2><p>Another word on {topic}.</p>",
        f"<p>More of {topic}, and no end of it: {topic} fill books, if someone writes them.</p>",
    )


def site(topics: list[str]) -> Site:
    """A site without any element, class or id that tells its content from its menus."""
    menu = "".join(f"<div><a href=/{topic}>All about {topic}</a></div>" for topic in topics)
    head, foot = f"<div>The encyclopedia</div>{menu}", "<div>Imprint of a company</div><div><a href=/>Home</a></div>"
    pages = {topic: content(topic) for topic in topics}
    return {HOST: [menu]} | {
        f"{HOST}{topic}": [head, first, COOKIES, second, foot] for topic, (first, second) in pages.items()
    }


def as_crawled(store: Path, topic: str) -> tuple[str, str, str]:
    """A page's content as Markdown, its content as the index has it, and all its text."""
    with open_store(store) as reader:
        kept, page = reader.text(f"{HOST}{topic}"), reader.page_table.find([f"{HOST}{topic}"])[f"{HOST}{topic}"]
        record = reader.texts.record(page)
        assert kept is not None
        assert record is not None
        words = page_words(record, HOST, reader.texts.template(page))
    return as_markdown(kept).partition("---\n\n")[2], " ".join(words.text.split("\0")), kept.text


def test_menu_banner_and_footer_of_a_site_are_no_content(tmp_path: Path) -> None:
    crawl(site(TOPICS), tmp_path / "crawl.db", [HOST], text=True)
    for topic in TOPICS:
        markdown, words, text = as_crawled(tmp_path / "crawl.db", topic)
        assert markdown == (
            f"# About {topic}\n\nFew know as much of {topic} as those who keep {topic} at home, year after year.\n\n"
            f"## Example\n\n```\nimport shared\n```\n\n## See also\n\nAnother word on {topic}.\n\n"
            f"More of {topic}, and no end of it: {topic} fill books, if someone writes them.\n"
        )
        assert words.split() == [word for word in markdown.split() if word.strip("#`")]
        assert "The encyclopedia" in text


@pytest.mark.parametrize("pages", [1, 3])
def test_of_a_site_of_few_pages_all_is_content(tmp_path: Path, pages: int) -> None:
    topics = TOPICS[:pages]
    crawl(site(topics), tmp_path / "crawl.db", [f"{HOST}{topics[0]}"], text=True, deny=["/$"])
    for topic in topics:
        markdown, words, text = as_crawled(tmp_path / "crawl.db", topic)
        assert all(f"[All about {other}]" in markdown or other == topic for other in topics)
        assert words.split() == text.split()


def test_versions_of_one_text_stay_content(tmp_path: Path) -> None:
    """All that they say is repeated: then the host tells nothing."""
    versions = {f"{HOST}v{number}": ["".join(content("badgers")), f"<p>{number}</p>"] for number in range(9)}
    crawl({HOST: [f"/v{number}" for number in range(9)], **versions}, tmp_path / "crawl.db", [HOST], text=True)
    assert "Few know as much" in as_crawled(tmp_path / "crawl.db", "v3")[0]


@pytest.mark.parametrize(("settings", "pages"), [({}, 0), ({"text": True}, 9), ({"search": True}, 9)])
def test_a_host_is_learned_only_where_that_is_of_use(tmp_path: Path, settings: dict[str, bool], pages: int) -> None:
    crawl(site(TOPICS), tmp_path / "crawl.db", [HOST], **settings)
    found = [RepeatedBlocks(blocks).size for (blocks,) in rows(tmp_path / "crawl.db", "SELECT blocks FROM host_blocks")]
    assert found == ([pages] if pages else [])


def test_pages_of_several_runs_and_of_more_hosts_than_memory_holds_are_learned_together(tmp_path: Path) -> None:
    store, hosts = tmp_path / "crawl.db", MOST_HOSTS + 40
    seeds = [f"http://h{host}.test/{page}" for page in range(2) for host in range(hosts)]
    web = {seed: [f"<p>host {seed[:12]}</p><p>page {seed}</p>"] for seed in seeds}
    for pages in (hosts + 1, 2 * hosts):
        crawl(web, store, seeds, text=True, pages=pages, sitemaps=False)
    pictures = [RepeatedBlocks(blocks) for (blocks,) in rows(store, "SELECT blocks FROM host_blocks")]
    assert [picture.size for picture in pictures] == [2] * hosts


def test_a_killed_run_leaves_most_of_what_it_has_learned_and_the_next_goes_on(tmp_path: Path) -> None:
    """Each page is committed, and no run comes to its end."""
    store, urls = tmp_path / "crawl.db", [f"{HOST}{number}" for number in range(60)]
    for some in (urls[:40], urls[40:]):
        intake = intake_of(store, text=True)
        intake.start(urls, 0.0)
        for read, url in enumerate(some, start=1):
            page = page_of(intake, url)
            intake.state.frontier.hand_out(page, 0.0)
            take_turn(intake, page, (Fetched(url, status=200), ParsedPage(blocks=block_hashes(["menu", url]))))
            intake.commit({})
            ((blocks,),) = rows(store, "SELECT blocks FROM host_blocks")
            assert 4 * RepeatedBlocks(blocks).size >= 3 * read
        intake.state.writer.close()
    assert RepeatedBlocks(blocks).size >= 45
    assert template(blocks) == set(block_ids(block_hashes(["menu"])))


def test_requests_are_made_while_pictures_are_saved(tmp_path: Path) -> None:
    intake = intake_of(tmp_path / "crawl.db", text=True)
    intake.start([f"http://h{host}.test/" for host in range(4)], 0.0)
    (pictures,) = (part for part in intake.parts if isinstance(part, HostPictures))

    class Slow(Writer):
        def save_host_blocks(self, rows: Iterable[tuple[int, bytes]]) -> None:
            asked = [pictures.request(page, PageRequest("")).blocks for page, _ in enumerate(rows)]
            assert asked == [True, True, True]

    for page in range(3):
        pictures.picture(page).note(page, block_hashes(["menu"]))
    intake.state.writer.close()
    slow = Slow(tmp_path / "crawl.db")
    pictures.save(slow)
    slow.close()
