"""What a host repeats: learned while a crawl keeps texts, and left out of the content of its pages."""

from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.store.reader import open_store

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
    """A page's content as Markdown and as the index has it, and all its text."""
    with open_store(store) as reader:
        kept = reader.text(f"{HOST}{topic}")
        assert kept is not None
    return f"{kept.content}\n", kept.content_text, kept.text


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
