"""What pages say on their use, read as it was written; in partitions, too."""

from pathlib import Path

from minicrawl.store.rows import PreferencesRow
from minicrawl.store.writer import Writer


def test_rows_are_replaced_and_removed(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
        assert not writer.preferences.is_there()
        writer.save_preferences([PreferencesRow(3, "a"), PreferencesRow(7, "b")])
        assert writer.preferences.is_there()
        writer.save_preferences([PreferencesRow(3, "c")], gone=[7, 9])
        assert writer.preferences.of([3, 7, 9]) == {3: "c"}
        assert writer.preferences.of([]) == {}
