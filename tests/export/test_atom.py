"""The feed of changes, read by another reader of XML than it was written with."""

from datetime import datetime
from pathlib import Path

import pytest
from lxml import etree

from minicrawl.errors import SettingError
from minicrawl.export.atom import write_feed
from minicrawl.store.refreshes import ChangedPage
from minicrawl.store.texts.difference import Line

ATOM = "{http://www.w3.org/2005/Atom}"
CHANGES = [
    ChangedPage("http://a.test/?a=1&b=<2>", "changed", 1e9, 0.5, 2, 3, 1, "<b>A & B\x00\x1b"),
    ChangedPage("http://a.test/new", "new", 1e9 + 5, 0.25, 1, 9, 0, None),
]


def entries(path: Path) -> list[etree._Element]:
    return list(etree.parse(str(path)).getroot().iterfind(f"{ATOM}entry"))


def test_feed_has_what_rfc_4287_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "changes.atom"
    write_feed(path, CHANGES, "key", 0.0)
    root = etree.parse(str(path)).getroot()
    assert root.tag == f"{ATOM}feed"
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    for element in (root, *entries(path)):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
            assert element.findtext(f"{ATOM}{name}")
        assert datetime.fromisoformat(str(element.findtext(f"{ATOM}updated"))).tzinfo is not None
    assert root.findtext(f"{ATOM}updated") == "2001-09-09T01:46:45+00:00"
    assert [link.get("href") for entry in entries(path) for link in entry.findall(f"{ATOM}link")] == [
        CHANGES[1].url,
        CHANGES[0].url,
    ]
    assert [entry.findtext(f"{ATOM}title") for entry in entries(path)] == [
        "new: http://a.test/new",
        "changed: <b>A & B  ",
    ]
    ids = [element.findtext(f"{ATOM}id") for element in (root, *entries(path))]
    assert len(set(ids)) == 3
    assert all(str(name).startswith("urn:uuid:") for name in ids)


def test_entry_keeps_its_identifier_and_a_later_change_has_another(tmp_path: Path) -> None:
    def ids(changes: list[ChangedPage], crawl: str = "key") -> list[str]:
        write_feed(tmp_path / "feed", changes, crawl, 0.0)
        return [str(entry.findtext(f"{ATOM}id")) for entry in entries(tmp_path / "feed")]

    assert ids(CHANGES) == ids(CHANGES)
    assert not set(ids([CHANGES[0]._replace(at=2e9)])) & set(ids(CHANGES))
    assert not set(ids(CHANGES, "another")) & set(ids(CHANGES))


def test_entry_has_the_blocks_that_differ_up_to_a_bound(tmp_path: Path) -> None:
    lines = [Line("+", "<script>&\x00 came"), Line("-", "went"), Line("~", "moved"), *[Line("+", "more")] * 30]
    div = f"{ATOM}content/{{http://www.w3.org/1999/xhtml}}div"
    write_feed(tmp_path / "feed", CHANGES, "key", 0.0, lambda _: lines)
    assert [entry.find(div) is not None for entry in entries(tmp_path / "feed")] == [False, True]
    found = entries(tmp_path / "feed")[1].find(div)
    assert found is not None
    shown = [(etree.QName(block[0]).localname, block[0].text) for block in found[0]]
    assert shown[:4] == [("ins", "<script>&  came"), ("del", "went"), ("em", "moved"), ("ins", "more")]
    assert (len(shown), found[1].text) == (20, "and 13 more")
    write_feed(tmp_path / "feed", CHANGES, "key", 0.0, lambda _: [Line("+", "long " * 10**5)] * 3)
    found = entries(tmp_path / "feed")[1].find(div)
    assert found is not None
    assert len(etree.tostring(found)) < 5_000
    assert found[1].text == "and 2 more"


def test_feed_without_entries_has_a_time_and_a_place_that_takes_none_is_told(tmp_path: Path) -> None:
    write_feed(tmp_path / "feed", [], "key", 1e9)
    assert etree.parse(str(tmp_path / "feed")).getroot().findtext(f"{ATOM}updated") == "2001-09-09T01:46:40+00:00"
    with pytest.raises(SettingError, match="cannot be written"):
        write_feed(tmp_path / "none" / "feed", [], "key", 1e9)
