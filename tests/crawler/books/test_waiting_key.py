"""The key of a waiting page, and its parts."""

from pathlib import Path

from support.sites import crawl

from minicrawl.crawler.books.waiting_key import waiting_key
from minicrawl.opic import GRANT, SEED_GRANTS
from minicrawl.opic.anticipated import ACROSS
from minicrawl.store.reader import open_store

HOME, OWN, ELSEWHERE = "http://one.test/", "http://one.test/1", "http://two.test/"


def test_key_tells_cash_from_what_each_side_is_expected_to_bring(tmp_path: Path) -> None:
    """The seed, of 1000 grants, has sent 17/40 of them along either link. On its host, of which one page was
    read, nothing waits but the page that it linked to: a third of its part of what was spent is expected again."""
    store = tmp_path / "crawl.db"
    crawl({HOME: [OWN, ELSEWHERE], OWN: [], ELSEWHERE: []}, store, [HOME], pages=1, strategy="anticipated")
    sent = 17 * SEED_GRANTS * GRANT // 40
    with open_store(store) as reader:
        pages = reader.page_table.find([HOME, OWN, ELSEWHERE])
        home, own, elsewhere = (waiting_key(reader, pages[url]) for url in (HOME, OWN, ELSEWHERE))
    assert home is None
    assert own is not None
    assert elsewhere is not None
    assert (elsewhere.cash, elsewhere.own_site, elsewhere.elsewhere) == (GRANT + sent, 0, ACROSS * sent)
    assert (own.cash, own.elsewhere) == (GRANT + sent, 0)
    expected = sent * (GRANT + sent) / (SEED_GRANTS * GRANT) / 3
    assert abs(own.own_site - expected) <= 2
    assert own.key == own.cash + own.own_site


def test_another_order_has_no_such_key(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: [OWN], OWN: []}, store, [HOME], pages=1)
    with open_store(store) as reader:
        assert waiting_key(reader, reader.page_table.find([OWN])[OWN]) is None
