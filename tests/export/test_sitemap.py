"""Sitemaps as search engines read them, and as the crawler does."""

import gzip
from pathlib import Path

import pytest
from lxml import etree

from minicrawl.errors import SettingError
from minicrawl.export.sitemap import Entry, export_sitemap

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def read(path: Path) -> etree._Element:
    body = path.read_bytes()
    return etree.fromstring(gzip.decompress(body) if path.suffix == ".gz" else body)


def texts(root: etree._Element, name: str) -> list[str | None]:
    return [element.text for element in root.iter(NAMESPACE + name)]


@pytest.mark.parametrize("name", ["sitemap.xml", "map.XML.gz".lower()])
def test_sitemap_has_url_change_and_priority(tmp_path: Path, name: str) -> None:
    hostile = "http://a.test/?a=1&b=<script>'\"&amp;]]>"
    pages = [
        Entry("http://a.test/", 0.1, "2026-01-31T00:00:00Z"),
        Entry(hostile, 0.01, None),
        Entry("http://b.test/", 0.001, None),
    ]
    assert export_sitemap(iter(pages), tmp_path / name) == 3
    root = read(tmp_path / name)
    assert root.tag == NAMESPACE + "urlset"
    assert texts(root, "loc") == ["http://a.test/", hostile, "http://b.test/"]
    assert texts(root, "lastmod") == ["2026-01-31T00:00:00Z"]
    assert texts(root, "priority") == ["1.0", "0.6", "0.1"]  # half of the magnitudes: .55
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("ending", "count"), [("xml", 6), ("xml.gz", 7)])
def test_more_pages_stand_in_files_that_an_index_names(tmp_path: Path, ending: str, count: int) -> None:
    urls = [f"http://a.test:8000/{number}" for number in range(count)]
    export_sitemap([Entry(url, 1.0, None) for url in urls], tmp_path / f"s.{ending}", most=3)
    index = read(tmp_path / f"s.{ending}")
    assert index.tag == NAMESPACE + "sitemapindex"
    files = [(loc or "").removeprefix("http://a.test:8000/") for loc in texts(index, "loc")]
    assert files == [f"s-{number}.{ending}" for number in range(1, 3 + (count == 7))]
    parts = [texts(read(tmp_path / file), "loc") for file in files]
    assert all(len(part) <= 3 for part in parts)
    assert [url for part in parts for url in part] == urls


def test_what_is_larger_than_50_mb_is_split_too(tmp_path: Path) -> None:
    long = "http://a.test/" + "x" * 2**20
    export_sitemap([Entry(f"{long}{number}", 1.0, None) for number in range(60)], tmp_path / "s.xml.gz")
    assert len(texts(read(tmp_path / "s.xml.gz"), "loc")) == 2


def test_no_pages_are_a_sitemap_too_and_a_bad_place_is_a_sentence(tmp_path: Path) -> None:
    assert export_sitemap([], tmp_path / "none.xml") == 0
    assert texts(read(tmp_path / "none.xml"), "loc") == []
    with pytest.raises(SettingError, match="cannot be written"):
        export_sitemap([], tmp_path / "no" / "none.xml")
