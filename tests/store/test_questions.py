"""Pages that conditions hold for: what --where takes, and a table of attacks on it."""

from contextlib import closing
from pathlib import Path

import pytest
from support.command_line import HOME, SITE
from support.sites import crawled_once, rows

from minicrawl.errors import SettingError
from minicrawl.store.database import open_to_read
from minicrawl.store.questions import COLUMNS, only_reading_pages, pages_for
from minicrawl.store.reader import open_store

ATTACKS = {  # by why they are refused; "": as SQLite says, each version in its own words
    "it has ';'": ["1; DELETE FROM pages"],
    "it has '(--|/\\*)'": ["1 --", "1 /* "],
    'it has "\'"': ["url = 'x"],
    "it has '[\"`[]'": ['"url" = 1', "[url] = 1", "`url` = 1"],
    "it has '[?:@$]'": ["id = ?", "id = :id", "id = @id", "id = $id"],
    "it has '[a-zA-Z]+'": [
        *("1 UNION SELECT value FROM meta", "(select value FROM meta) = 1", "id IN (VALUES (1))", "WITH x AS (1) 1"),
        *("RAISE(ABORT, 'x')", "id IN pragma"),
    ],
    "it has '.x00'": ["1 = 1\0) OR (1"],
    "its parentheses do not close": ["1) OR (1", "(url = 'x'"],
    "it has more than 5,000 characters": ["1 = 1 AND " * 1000 + "1"],
    "it may not use that table or function": ["id IN meta", "url IN sqlite_schema"],
    "no such column: importanse, did you mean 'importance'": ["importanse > 1"],
    "no such column: ": ["weighed.id = 1", "pages.cash = 1", "fetches.digest = 1", "standing = 1"],
    "": [
        "  ",
        *("1 IN json_each('[1]')", "1 IN pragma_database_list", "length(randomblob(1000000000)) > 0"),
        *("zeroblob(1000000000) IS NULL", "printf('%1000000000d', 1) = ''", "load_extension('evil') IS NULL"),
        *("readfile('/etc/passwd') IS NOT NULL", "count(*) > 0", "row_number() OVER () = 1", "importance >"),
        *("NOT " * 1200 + "1", "url = 'x' COLLATE evil", "url MATCH 'x'", "url REGEXP 'x'"),
    ],
}
path = crawled_once(SITE, [HOME])


@pytest.mark.parametrize(
    ("why", "attack"), [(why, attack) for why, some in ATTACKS.items() for attack in some], ids=lambda text: text[:30]
)
def test_attack_is_refused_in_a_sentence_and_changes_nothing(path: Path, why: str, attack: str) -> None:
    before = path.read_bytes()
    with open_store(path) as store:
        with pytest.raises(SettingError, match=rf"(?s)^--where .* cannot be used: {why}.*; it takes an SQL expression"):
            store.questions.where(attack)
        assert store.questions.where("1").all()  # all is as it was before
    assert path.read_bytes() == before


def test_pages_are_sorted_and_their_answers_read_only_for_an_expression_that_asks_for_it(path: Path) -> None:
    def plan(expression: str) -> str:
        query = f"EXPLAIN QUERY PLAN SELECT id FROM {pages_for(expression)} WHERE {expression}"
        return " ".join(step for *_, step in rows(path, query))

    assert "B-TREE" in plan("rank < 5")
    assert "B-TREE" not in plan("depth > 1 AND title IS NULL AND host = 'a.test'")
    assert "fetches" in plan("title IS NULL")
    assert "fetches" not in plan("importance > .1")


@pytest.mark.parametrize("query", [
    "SELECT value FROM meta", "SELECT body FROM robots", "SELECT standing FROM pages", "SELECT sql FROM sqlite_schema",
    "DELETE FROM pages", "PRAGMA user_version = 1", "ATTACH ':memory:' AS other", "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "SELECT randomblob(9)", "SELECT * FROM json_each('[1]')", "REINDEX", "DROP VIEW ranks", "SAVEPOINT x",
])  # fmt: skip
def test_second_wall_stands_without_the_first(path: Path, query: str) -> None:
    """Even a whole query of an attacker's reads nothing but pages."""
    with closing(open_to_read(path)) as db:
        with pytest.raises(SettingError), only_reading_pages(db, query):
            db.execute(query).fetchall()
        with only_reading_pages(db, ""):
            assert len(db.execute(f"SELECT id FROM {pages_for('rank')}").fetchall()) == 5


@pytest.mark.parametrize("expression", [
    "status = 404", "url LIKE '%/gone' AND NOT importance > 0.5", "title IS NULL OR length(title) < 3 OR status = 404",
    "reason GLOB 'http-*'", "(((status / 100) = 4))", "url <> 'it''s (not -- an /* end; ' AND status = 404",
    "id IN (1, 2, 3, 4, 0)\nAND status\n=\n404", "CASE WHEN status = 404 THEN 1 ELSE 0 END", 
    "round(seconds) >= 0 AND status = 404",
    "host = 'a.test' AND content_type IS NULL AND bytes >= 0 AND status > 400", "rank > 0 AND max(status, 0) = 404",
    "date(fetched_at, 'unixepoch') > '1970' AND status = 404", "status = 404 AND coalesce(fetched_at, importance) >= 0",
])  # fmt: skip
def test_expression_finds_the_pages_it_is_true_of(path: Path, expression: str) -> None:
    ((gone,),) = rows(path, "SELECT id FROM pages WHERE url = ?", HOME + "gone")
    with open_store(path) as store:
        assert store.questions.where(expression)[gone]


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_may_be_asked(path: Path, column: str) -> None:
    with open_store(path) as store:
        assert store.questions.where(f"{column} IS NULL OR {column} IS NOT NULL").all()


def test_columns_are_those_of_the_view(path: Path) -> None:
    assert [name for _, name, *_ in rows(path, "PRAGMA table_info(page)")] == list(COLUMNS[1:])


def test_json_may_be_read_after_a_table_was_made(path: Path) -> None:
    """SQLite forgets then that it knows json_each, as it does for the rules of an audit."""
    with open_store(path) as store:
        store.make("TABLE", "numbers", "(number)", [(7,)])
        with store.questions.asked("SELECT value FROM json_each('[7]')", 60.0) as (_, found):
            assert list(found) == [(7,)]
