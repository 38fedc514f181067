"""Pages that conditions hold for."""

from pathlib import Path

from support.command_line import HOME
from support.sites import rows

from minicrawl.store.reader import open_store
from minicrawl.store.select.selection import Condition


def test_pages_are_those_that_all_conditions_hold_for(store: Path) -> None:
    read = Condition("state = ? OR state = ?", ["fetched", "alias"])
    of_home = Condition("url GLOB ?", [HOME + "*"])
    expected = {number for number, url, state in rows(store, "SELECT id, url, state FROM pages")
                if state in ("fetched", "alias") and url.startswith(HOME)}  # fmt: skip
    with open_store(store) as reader:
        found = reader.selection.by([read, of_home])
        assert {number for number, is_so in enumerate(found) if is_so} == expected
        assert reader.selection.by([]).all()
        assert not reader.selection.by([Condition("host = ?", ["x' OR 1 --"])]).any()
