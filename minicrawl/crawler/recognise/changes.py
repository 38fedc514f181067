"""What has changed on a page that is fetched again: as for watched pages, but from hashes, and without habits,
because what changes at every fetch is worth a fetch."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec import MsgspecError
from msgspec import json as msgspec_json

from minicrawl.errors import StoreError
from minicrawl.model import KINDS, Fetched, ParsedPage
from minicrawl.store.texts.repeated_blocks import REPEATED, RepeatedBlocks
from minicrawl.web.compare import hashes
from minicrawl.web.compare.comparing import Memory, compare
from minicrawl.web.compare.view import Entry, View, view_of
from minicrawl.web.kept_text import ID_SHIFT, about_of

_SHARED = 2
"""Pages of a host that have noise, which all may have then."""
_MOST_SHARED = 256
"""Noise of a page that its host knows of, the last."""


class Difference(NamedTuple):
    """What the answers of one moment show. is_certain: whether they show if the page has changed. differs: whether
    any line has come or gone; is_frame: only beside the content. added, removed: lines that count as changed; kinds:
    what they are, of `minicrawl.model.KINDS`. hashes, memory: what is kept of the page, as in `RefreshRow`."""

    hashes: bytes
    memory: bytes = b""
    is_change: bool = False
    is_certain: bool = True
    differs: bool = False
    is_frame: bool = False
    added: int = 0
    removed: int = 0
    kinds: tuple[str, ...] = ()


def difference(kept: bytes, memory: bytes, answers: Sequence[bytes], picture: RepeatedBlocks) -> Difference | None:
    """The difference of a page from what is kept of it; None if another answer must tell. answers: hashes of each of
    this moment. picture: of its host."""
    known = _memory(memory)
    if all(answer == kept for answer in answers) and not known.changed:
        return Difference(kept, memory)
    stored, *views = _views([kept, *answers], picture)
    verdict = compare(stored, views, known, _Shared(picture), check=None)
    if verdict.asks:
        return None
    last, level = views[-1], max(each[0] for each in (kept, *answers))
    before, now = ({(entry.kind, entry.key): entry for entry in view.entries} for view in (stored, last))
    found = Difference(kept, differs=before.keys() != now.keys(), is_certain=verdict.what != "unsure")
    changed: Sequence[Entry] = (*verdict.added, *verdict.removed)
    if verdict.base is not None:
        found = found._replace(
            hashes=hashes.repack(verdict.base, level), added=_counted(verdict.added), removed=_counted(verdict.removed)
        )
    if verdict.what not in ("same", "changed", "unsure"):  # it has another page in its place
        if known.changed:  # that was so the last time
            found, known.changed = found._replace(hashes=hashes.repack(last, level)), {}
        else:
            known.changed = {0: [0]}
            came, went = ([one[name] for name in one.keys() - other] for one, other in ((now, before), (before, now)))
            changed = [*came, *went]
            found = found._replace(added=_counted(came), removed=_counted(went))
    is_back = bool(known.changed) and verdict.what in ("same", "changed")
    if is_back:
        known.changed = {}
    kinds = {entry.kind for entry in changed if not entry.is_beside}
    return found._replace(
        memory=msgspec_json.encode(known) if known != _memory(memory) else memory,
        is_change=bool(kinds) or is_back,
        is_frame=verdict.what == "changed" and not kinds,
        kinds=tuple(kind for kind in KINDS if kind in kinds),
    )


def _counted(lines: Iterable[Entry]) -> int:
    return sum(not entry.is_beside for entry in lines)


def came_and_went(before: View, after: View, memory: bytes, picture: RepeatedBlocks) -> tuple[list[Entry], list[Entry]]:
    """The lines of a page that have come and gone between two of its texts, in their order, without noise and what is
    beside the content. memory, picture: as in `difference`."""
    stored, last = _views([hashes.pack(view, most=len(view.entries)) for view in (before, after)], picture)
    verdict = compare(stored, [last], _memory(memory), _Shared(picture), check=None, is_last=True)
    lines = (*verdict.added, *verdict.removed) if verdict.what in ("same", "changed") else stored.entries + last.entries
    names = {(entry.kind, entry.key) for entry in lines if not entry.is_beside}
    old, new = ({hashes.name_of(entry): entry for entry in view.entries} for view in (before, after))
    came = [entry for name, entry in new.items() if name in names and name not in old]
    return came, [entry for name, entry in old.items() if name in names and name not in new]


def _views(pages: Sequence[bytes], picture: RepeatedBlocks) -> list[View]:
    return hashes.views(pages, lambda line: picture.pages(line >> ID_SHIFT) >= REPEATED)


def text_view(record: bytes, url: str, at: float) -> View | None:
    """The view of what is kept of a page's text, as of an answer (Unix seconds); None of a damaged record."""
    with suppress(StoreError):
        parsed = ParsedPage(kept=record, title=about_of(record).title)
        return view_of(Fetched(url, 200), parsed, url, at)
    return None


def of_text(record: bytes, url: str, at: float) -> bytes:
    """The hashes of what is kept of a page's text; none of a damaged record. at: as in `text_view`."""
    view = text_view(record, url, at)
    return b"" if view is None else hashes.pack(view)


def note(picture: RepeatedBlocks, page: int, blocks: bytes, kept: bytes, memory: bytes) -> None:
    """Note in the picture of its host what a page has, and its noise. blocks: of its text, where that is kept."""
    noise = _memory(memory).noise[-_MOST_SHARED:]
    picture.note(page, blocks + hashes.ids(kept) + hashes.packed_ids([~number for number in noise]))


class _Shared:
    """The noise of a host."""

    def __init__(self, picture: RepeatedBlocks) -> None:
        self._picture = picture

    def __contains__(self, number: object) -> bool:
        assert isinstance(number, int)
        return self._picture.pages(hashes.mixed(~number) >> ID_SHIFT) >= _SHARED


def _memory(packed: bytes) -> Memory:
    """What is known of a page's changes; nothing if it is damaged."""
    with suppress(MsgspecError):
        return msgspec_json.decode(packed, type=Memory) if packed else Memory()
    return Memory()
