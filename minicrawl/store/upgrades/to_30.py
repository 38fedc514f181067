"""What is known beside a text stands before it, not packed.

A record was zlib of a line of JSON, [title, language, description, whether a search may show the page, characters of
the content], and of the text. Now it is a line of JSON with names, and zlib of the number of characters and the text.
The language is the one that a page declares, if that is a tag (BCP 47): the words of earlier texts are not weighed.
"""

import json
import re
import sqlite3
import zlib

_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")
_LEVEL = 3


def upgrade(db: sqlite3.Connection) -> None:
    db.create_function("rewritten", 1, _rewritten, deterministic=True)
    db.execute("UPDATE text_records SET packed = rewritten(packed)")


def _rewritten(packed: bytes) -> bytes:
    """The record of schema 30; one that cannot be read stays, because it is no better in either form."""
    try:
        head, _, text = zlib.decompress(packed).decode().partition("\n")
        title, language, description, index, size = json.loads(head)
    except (zlib.error, ValueError, TypeError):
        return packed
    tag = _TAG.fullmatch((language or "").strip())
    known = {"title": title, "language": tag and tag[0].replace("_", "-"), "description": description, "index": index}
    unknown = {"title": None, "language": None, "description": None, "index": True}
    said = {name: value for name, value in known.items() if value != unknown[name]}
    line = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return f"{line}\n".encode("utf-8", "replace") + zlib.compress(f"{size}\n{text}".encode(), _LEVEL)
