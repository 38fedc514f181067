"""Every flaw that rows may have is named, with how many rows have it; and a sound store has none."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from support.sites import rows
from support.stored_pages import add_pages, answer, turn

from minicrawl.store.links import Links, to_bytes
from minicrawl.store.reader import open_store
from minicrawl.store.recognised import RecentPage
from minicrawl.store.sitemaps import SitemapRow
from minicrawl.store.writer import Writer


def written(store: Path) -> Writer:
    writer = Writer(store)
    add_pages(writer, [f"http://a.test/{page}" for page in range(4)])
    with writer.transaction():
        writer.save_turns([turn(0, fetch=answer()), turn(1, fetch=answer()), turn(2, "alias", "canonical")])
        writer.save_links(
            Links(source, to_bytes(np.array([target], dtype=np.int32)), 0, 0) for source, target in ((0, 1), (2, 0))
        )
        writer.put(SitemapRow, [SitemapRow(0, 0, "http://a.test/s.xml", 0, 0, "ok")])
        writer.add("sitemap_pages", [(1, 0, True)])
        writer.update("pages", ["named_by"], [(0, 3)])
        writer.add(RecentPage, [RecentPage(0, 1, None, b"1234", True)])
    return writer


FLAWS = {
    "UPDATE pages SET host = 7 WHERE id > 1": "2 numbers in pages.host are of no row of hosts",
    "UPDATE pages SET reason = '' WHERE id < 3": "3 pages have no reason for their state",
    "UPDATE pages SET fetch = 99 WHERE id = 0": "1 numbers in pages.fetch are of no row of fetches",
    "UPDATE pages SET fetch = NULL WHERE id = 0": "1 answers belong to no page",
    "UPDATE links SET source = 9 WHERE source = 0": "1 numbers in links.source are of no row of pages",
    "UPDATE links SET targets = x'0102' WHERE source = 0": "1 rows of links are cut",
    "UPDATE links SET own = x'01' WHERE source = 0": "1 rows of links are cut",
    "UPDATE links SET targets = zeroblob(8) WHERE source = 2": "1 aliases have more or fewer targets than one",
    "UPDATE recent_pages SET words = x'01'": "1 words of pages are cut",
    "UPDATE fetches SET sketch = x'01' WHERE page = 0": "1 sketches are cut",
    "UPDATE hosts SET id = 1": "1 hosts' numbers are missing",
    "UPDATE sitemap_pages SET sitemap = 9": "1 numbers in sitemap_pages.sitemap are of no row of sitemaps",
    "UPDATE url_hashes SET hash = hash + 1 WHERE page = 3": "page 3 cannot be found by its URL http://a.test/3",
    "DELETE FROM url_hashes WHERE page = 3": "page 3 cannot be found by its URL http://a.test/3",
    "UPDATE pages SET url = 'http://a.test/0' WHERE id = 1": "1 URLs stand twice",
    "UPDATE pages SET id = 5 WHERE id = 3": "2 page numbers are missing",
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with written(tmp_path_factory.mktemp("sound") / "crawl.db") as writer:
        assert writer.soundness.structure_errors() == writer.soundness.integrity_errors() == []
        return writer.path


@pytest.mark.parametrize(("deed", "sentence"), FLAWS.items())
def test_every_flaw_is_named_with_the_number_of_its_rows(sound: Path, tmp_path: Path, deed: str, sentence: str) -> None:
    path = Path(shutil.copy(sound, tmp_path / "flawed.db"))
    rows(path, deed)
    with open_store(path) as store:
        assert sentence in store.soundness.integrity_errors()
