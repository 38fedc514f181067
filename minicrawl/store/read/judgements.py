"""Pages that were judged for queries."""

import json
from collections.abc import Collection

from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import Judgement


class Judgements:
    """Reads the table `judgements`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def all(self) -> list[Judgement]:
        """Every judgement, the oldest first."""
        rows = self._tables.rows("SELECT query, page, is_good, at FROM judgements ORDER BY at, query, page")
        return [Judgement(query, page, bool(is_good), at) for query, page, is_good, at in rows]

    def copies_of(self, pages: Collection[int]) -> dict[int, int]:
        """By page, the one of `pages` that it duplicates, or that duplicates the same page; themselves included."""
        query = """
            WITH judged AS (
                SELECT value AS page, coalesce(leader, value) AS first
                FROM json_each(?) LEFT JOIN fetches ON fetches.id = (SELECT fetch FROM pages WHERE id = value))
            SELECT copies.page, judged.page FROM judged CROSS JOIN fetches AS copies ON copies.leader = first
            UNION ALL SELECT first, page FROM judged"""
        return dict(self._tables.rows(query, (json.dumps(list(pages)),))) | {page: page for page in pages}
