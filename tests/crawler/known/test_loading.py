"""A crawl that goes on holds what the one before held; and what a store lacks is a sentence."""

from pathlib import Path

import pytest
from support.intakes import intake_of, next_page
from support.sites import rows

from minicrawl.errors import StoreError
from minicrawl.model import Fetched, ParsedPage


def test_pages_go_on_with_the_attempts_they_had(tmp_path: Path) -> None:
    first = intake_of(tmp_path / "crawl.db")
    first.start(["http://a.test/"], 0.0)
    page = next_page(first.state.frontier, 0.0)
    assert page is not None
    first.visits.absorb(page, Fetched("http://a.test/", status=503), ParsedPage(), 0.0)
    first.commit({})
    first.state.writer.close()
    again = intake_of(tmp_path / "crawl.db")
    assert again.state.pages.attempts == {page: 1}
    again.state.writer.close()


DAMAGE = {
    "DELETE FROM hosts WHERE id = 0": "host 0 is missing",
    "UPDATE pages SET host = 99 WHERE id = 2": "pages with numbers from 0 on are on a host that is missing",
    "UPDATE pages SET host = -1 WHERE id = 2": "pages with numbers from 0 on are on a host that is missing",
    "DELETE FROM pages WHERE id = 1": "pages with numbers from 0 on are missing",
    "DELETE FROM meta WHERE key = 'virtual'": "a number is missing that importance is computed with",
    "UPDATE meta SET value = 'much' WHERE key = 'virtual'": "meta.virtual is 'much', which cannot be meant",
}


@pytest.mark.parametrize(("deed", "sentence"), DAMAGE.items())
def test_what_a_store_lacks_is_a_sentence(tmp_path: Path, deed: str, sentence: str) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
    first = intake_of(path)
    first.start([f"http://{host}.test/" for host in "abc"], 0.0)
    first.commit({})
    first.state.writer.close()
    rows(path, deed)
    with pytest.raises(StoreError, match=sentence):
        intake_of(path)
