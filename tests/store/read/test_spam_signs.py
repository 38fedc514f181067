"""Signs of deceit, read as they were written."""

from pathlib import Path

from minicrawl.store.rows import SpamSign
from minicrawl.store.writer import Writer

STUFFED, HIDDEN, CLOAKED = (SpamSign(7, sign, "told") for sign in ("stuffed", "hidden", "cloaked"))


def test_signs_are_replaced_by_kind_and_page(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
        other = STUFFED._replace(page=3)
        writer.save_spam_signs([3, 7], ("stuffed", "hidden"), [STUFFED, HIDDEN, other])
        writer.save_spam_signs([7], ("cloaked",), [CLOAKED])
        assert writer.spam_signs.all() == [other, CLOAKED, HIDDEN, STUFFED]
        writer.save_spam_signs([7, 8], ("stuffed", "hidden"), [anew := STUFFED._replace(told="anew")])
        assert writer.spam_signs.of(7) == [CLOAKED, anew]
        assert writer.spam_signs.of(8) == []
