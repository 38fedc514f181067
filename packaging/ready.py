"""Checks that a tag may be released: python packaging/ready.py v1.0.0 names what is in the way, and exits with 1."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from minicrawl import __version__

TREE = Path(__file__).parents[1]


def faults(tag: str) -> Iterator[str]:
    """What has to change before this tag is released, a sentence each."""
    if tag != f"v{__version__}":
        yield f"the tag is {tag}, the version in minicrawl/__init__.py is {__version__}"
    short = __version__.removesuffix(".0")
    if not re.search(rf"^## {re.escape(short)}(\.0)?\b", (TREE / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        yield f"CHANGELOG.md has no section '## {short}'"
    if f"\nversion: {__version__}\n" not in (TREE / "CITATION.cff").read_text("utf-8"):
        yield f"the version in CITATION.cff is not {__version__}"
    for line in (TREE / "pyproject.toml").read_text("utf-8").splitlines():
        if ".example/" in line:
            yield f"pyproject.toml has '{line.strip()}'; .example is nobody's: write where it will be"


if __name__ == "__main__":
    found = list(faults(*sys.argv[1:]))
    print("\n".join(found) or f"{sys.argv[1]} may be released.")
    sys.exit(bool(found))
