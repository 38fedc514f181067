"""Pages at home, ranked among those of all partitions."""

import random
from contextlib import closing
from pathlib import Path

import pytest
from support.sites import rows

from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

UNIT = 16_777_216
STATES = ("fetched", "waiting", "gone", "alias", "elsewhere")
NUMBERS = ("level", "clock", "ledger_virtual", "ledger_never_visited", "ledger_births", "ledger_total")
"""What the importance of a store by itself is computed with."""
HELD, TOTAL = 0.4, 37.0 * UNIT
SHARED_OUT, LEVELS, DOORS = 15, {0: (2 * UNIT, 0), 1: (UNIT // 2, 1000), 2: (7, 7)}, {1: 256, 5: 512, 9: 300, 17: 100}
"""Where walkers jump to sites: pages known then, levels of a page and of a door by host, and weights of doors."""


@pytest.fixture(params=range(4))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Twenty pages with what the books would not have together: what is asked is asked of each by itself. In every
    other one walkers jump to sites."""
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
    if request.param % 2:
        rows(path, f"INSERT INTO meta VALUES ('shared_out', {SHARED_OUT})")
        for host, levels in LEVELS.items():
            rows(path, f"INSERT INTO sites VALUES ({host + 1}, '{host}', 0.1, {levels[0]}, {levels[1]})")
        rows(path, "UPDATE hosts SET site = id + 1")
        for page, weight in DOORS.items():
            rows(path, f"INSERT INTO doors VALUES ({page}, 0, {weight})")
    return path


def birth(store: Path, page: int, host: int) -> int:
    """Birth cash of a page that has not gone."""
    if not rows(store, "SELECT 1 FROM sites"):
        return UNIT
    return LEVELS[host][0] + LEVELS[host][1] * DOORS.get(page, 0) if page < SHARED_OUT else 1


def united(store: Path) -> dict[int, tuple[float, str, str]]:
    """By number of those at home: importance, URL, state; one after the other as the ledger's docstring has it."""
    found = {}
    for page, url, state, received, host in rows(store, "SELECT id, url, state, received, host FROM pages"):
        born = 0 if state == "gone" else birth(store, page, host)
        x = 0.0 if state == "alias" else received + HELD * born
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
