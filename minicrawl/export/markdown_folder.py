"""A folder of Markdown files, one a page, at the path that its URL has: HOST/FOLDER/NAME.md.

Names are those of the URL with its escapes read, as far as file systems take them: "..", control characters, names of
devices and what Windows forbids become "_", and long names are cut. Where two pages would have one file, also on a file
system that ignores case, all but the first have a hash of their URL in the name.
"""

import json
import os
import re
import shutil
import tempfile
import unicodedata
import zlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from minicrawl.errors import SettingError
from minicrawl.web.kept_text import KeptText

_LONGEST_NAME, _LONGEST_PATH = 120, 800
"""Bytes in UTF-8, with room for what file systems and the folder around add."""
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f"*/:<>?\\|\u202a-\u202e\u2066-\u2069]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|\Z)", re.IGNORECASE)


def write_folder(pages: Iterable[KeptText], folder: Path) -> int:
    """Write the pages, the first of which has its name if two have one. The folder appears whole or not at all. Returns
    the number of files. Raises SettingError for a folder that is there and is not empty, or cannot be written."""
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise SettingError(f"{folder} exists; name a folder that does not, or an empty one")
    taken = set[str]()
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.absolute().parent))
        try:
            for page in pages:
                file = temporary / _free_path(page.url, taken)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(with_head(page) + "\n", "utf-8", errors="replace")
            temporary.chmod(0o755)
            temporary.replace(folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise SettingError(f"{folder} cannot be written: {error.strerror or error}; name another folder") from error
    return len(taken)


def with_head(kept: KeptText) -> str:
    """The Markdown of a page behind front matter in YAML, whose strings may be JSON strings."""
    values = {"url": kept.url, "title": kept.title, "description": kept.description, "language": kept.language}
    known = {name: value for name, value in values.items() if value is not None}
    head = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in known.items()]
    return "\n".join(["---", *head, "---", "", kept.content])


def _free_path(url: str, taken: set[str]) -> str:
    """The path of a page's file, which is taken from then on."""
    path = path_of(url)
    if _compared(path) in taken:
        path = f"{path.removesuffix('.md')}-{zlib.crc32(url.encode()):08x}.md"
    while _compared(path) in taken:
        path = f"{path.removesuffix('.md')}_.md"
    taken.add(_compared(path))
    return path


def _compared(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def path_of(url: str) -> str:
    """The path of a page's file where no other has it."""
    host, _, rest = url.split("/", 2)[2].partition("/")
    path, question, query = rest.partition("?")
    *folders, name = (unquote(part) for part in path.split("/"))
    # A folder that ends like a file could have the name of one.
    parts = [_safe(host), *(f"{_safe(part)}_" if part.lower().endswith(".md") else _safe(part) for part in folders)]
    parts.append(_safe(f"{name or 'index'}{question and '_'}{unquote(query)}"))
    if len("/".join(parts).encode()) > _LONGEST_PATH:
        parts = [parts[0], f"long-{zlib.crc32(url.encode()):08x}"]
    return f"{'/'.join(parts)}.md"


def _safe(name: str) -> str:
    """A name that all usual file systems take."""
    found = _DEVICE.sub(r"_\g<0>", _UNSAFE.sub("_", name.encode("utf-8", "replace").decode()))
    found = re.sub(r"\A\.+|[. ]+\Z", "_", found) or "_"
    octets = found.encode()
    return found if len(octets) <= _LONGEST_NAME else octets[:_LONGEST_NAME].decode(errors="ignore")
