"""Pages at home, ranked among those of all partitions."""

import random
from contextlib import closing
from pathlib import Path

import pytest
from sites import rows

from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

UNIT = 16_777_216
STATES = ("fetched", "waiting", "gone", "alias", "elsewhere")
NUMBERS = ("level", "clock", "ledger_virtual", "ledger_never_visited", "ledger_births", "ledger_total")
"""What the importance of a store by itself is computed with."""
HELD, TOTAL = 0.4 * UNIT, 37.0 * UNIT


@pytest.fixture(params=range(4))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Twenty pages with what the books would not have together: what is asked is asked of each by itself."""
    path, rng = tmp_path / "crawl.db", random.Random(request.param)
    with closing(Writer(path)) as writer, writer.transaction():
        writer.save_meta(dict.fromkeys(NUMBERS, 1))
    rows(path, "INSERT INTO hosts (id, name) VALUES (0, 'a.test'), (1, 'b.test'), (2, 'only-elsewhere.test')")
    for page in range(20):
        state, received = rng.choice(STATES), rng.choice((UNIT, 3 * UNIT, 5 * UNIT // 2))
        host = 2 if state == "elsewhere" else rng.randrange(2)
        url = f"http://{rng.randrange(100, 999)}-{page}.test/"
        rows(
            path,
            "INSERT INTO pages (id, url, host, state, reason, received, depth, standing) "
            f"VALUES ({page}, '{url}', {host}, '{state}', 'ok', {received}, 0, 0)",
        )
    return path


def united(store: Path) -> dict[int, tuple[float, str, str]]:
    """By number of those at home: importance, URL, state; one after the other as the ledger's docstring has it."""
    found = {}
    for page, url, state, received in rows(store, "SELECT id, url, state, received FROM pages"):
        birth = 0 if state == "gone" else UNIT
        x = 0.0 if state == "alias" else received + HELD * birth / UNIT
        if state != "elsewhere":
            found[page] = x / TOTAL, url, state
    return found


def test_each_is_told_as_it_is_added_up_by_hand(store: Path) -> None:
    expected = united(store)
    with open_store(store) as reader:
        found = reader.at_home.importance_of(list(expected), HELD, TOTAL)
        assert found == pytest.approx({page: x for page, (x, _, _) in expected.items()})
        first = [page.url for page in reader.at_home.first(HELD, TOTAL)]
        best_first = sorted(expected.values(), key=lambda page: (-page[0], page[1]))
        assert first == [url for _, url, _ in best_first]
        assert [page.url for page in reader.at_home.first(HELD, TOTAL, 3)] == first[:3]
        for page, (_, url, _) in expected.items():
            assert reader.at_home.better(found[page], url, HELD, TOTAL) == first.index(url)
        read = sum(x for x, _, state in expected.values() if state == "fetched")
        assert reader.at_home.collected(HELD, TOTAL) == pytest.approx(read)
        received, births = reader.at_home.received()
        whole = received + births * HELD
        assert whole == pytest.approx(TOTAL * sum(x for x, _, _ in expected.values()))
        homes = rows(store, "SELECT host FROM pages WHERE state <> 'elsewhere'")
        assert reader.at_home.hosts() == len(set(homes))
