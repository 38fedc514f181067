"""Values of `meta` and JSON in columns: what may stand there, and what is not valid."""

from pathlib import Path

import pytest
from support.intakes import crawl_all, intake_of
from support.sites import random_site, rows

from minicrawl.crawler.books.stored_forms import kept_settings, wrong_meta, wrong_settings, wrong_texts
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A crawl that stopped midway, and whose run is noted."""
    path = tmp_path / "crawl.db"
    site, seeds = random_site(5)
    intake = intake_of(path)
    intake.start(seeds, 0.0)
    crawl_all(intake, site, most=20)
    intake.commit({"settings": CrawlSettings(delay=3.0).to_json(Path()), "run_at": 5})
    intake.state.writer.close()
    return path


def wrong(path: Path) -> list[str]:
    with open_store(path) as store:
        return [*wrong_meta(store), *wrong_texts(store), *wrong_settings(store)]


def put(path: Path, key: str, value: object) -> None:
    rows(path, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)


RUN = (
    '{"fetched": 1, "bytes": 2, "seconds": 0.5, "in_flight": 0, "errors": {"dns": 2}, "coverage": [0.1, 0.2, 0.3], '
    '"silence": {"since": 1, "pause": 2.5}}'
)
META = [
    ("sitemap_thirds", 2, True),
    ("sitemap_thirds", None, True),
    ("sitemap_thirds", 2.5, False),
    ("in_doubt", "1", False),
    ("discovery_credit", 2, True),
    ("discovery_credit", 2.5, True),
    ("discovery_credit", b"2", False),
    ("stopped", "time", True),
    ("stopped", 7, False),
    ("refuted_canonicals", '["http://a.test/"]', True),
    ("refuted_canonicals", "[]", True),
    ("refuted_canonicals", "[7]", False),
    ("refuted_canonicals", '{"a": 1}', False),
    ("refuted_canonicals", "[", False),
    ("sitemaps_left_out", '{"-1": 3}', True),
    ("sitemaps_left_out", '{"-1": "3"}', False),
    ("run", RUN, True),
    ("run", "[]", False),
    ("run", RUN.replace("2.5", '"long"'), False),
    ("run", RUN.replace("2.5", "Infinity"), False),
    ("run", RUN.replace('"since": 1, ', ""), False),
    ("run", RUN.replace('"dns": 2', '"dns": null'), False),
]


@pytest.mark.parametrize(("key", "value", "is_right"), META)
def test_values_of_meta(store: Path, key: str, value: object, is_right: bool) -> None:
    before = rows(store, "SELECT value FROM meta WHERE key = ?", key)
    put(store, key, value)
    found = wrong(store)
    assert found == [] if is_right else len(found) == 1 and key in found[0] and "is not valid" in found[0], found
    rows(store, "DELETE FROM meta WHERE key = ?", key)
    for (old,) in before:
        put(store, key, old)
    assert wrong(store) == []


TEXTS = {
    "UPDATE links SET too_deep = '[1]' WHERE source = 0": "too_deep in links is '[1]'",
    "UPDATE links SET too_deep = '[\"http://a.test/\"]'": None,
}


def test_json_in_columns(store: Path) -> None:
    for deed, sentence in TEXTS.items():
        rows(store, deed)
        assert [line.partition(",")[0] for line in wrong(store)] == (
            [] if sentence is None else [sentence.partition(",")[0]]
        )


def test_settings_that_cannot_be_meant_are_damage_where_they_are_needed(store: Path) -> None:
    def read(path: Path) -> CrawlSettings:
        reader: Store
        with open_store(path) as reader:
            return kept_settings(reader)

    assert read(store).delay == 3.0
    put(store, "settings", '{"delay": -1.0}')
    with pytest.raises(StoreError, match="its settings are not valid: --delay"):
        read(store)
