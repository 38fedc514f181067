"""Tell a page's changes from noise: dates, counters, advertisements, rotating lists, comments (docs/refresh.md).

A block of text that came or went counts as a change, and so does a value of a field (`minicrawl.model.FIELDS`), but for
these rules:

restless place  Between the same blocks something differs at nearly every fetch. There a block counts once it is there,
                or if it was, twice as long as noise stays on this page; if it was where text comes back, four times.
hasty page      Where new blocks often go at the next fetch, and nowhere in particular, a block counts once two fetches
                agree that it came, and if it stood for three when it goes.
front           New blocks side by side are one difference, and none counts while any of their places is restless: so
                comments that come at every fetch do not.
fickle block    It went and came back: it tells nothing.
repeated block  It stands on many pages of its host: it tells nothing.
counter         A line of which the numbers alone are new, on three pages of its host and on a third of those that have
                its words: neither it nor the line that it replaces tells anything.

A place is the gap after a block that stays; each field has one of its own, behind its mark. Its restlessness rises by 1
with every fetch at which blocks come or go there, and falls by 5 with the others; blocks that come there inherit it.
Counters rest at times: in front of lines with numbers it rises by 2, and two fetches that find such a place still leave
it restless. Of a new page all places are restless until a fetch finds them still, and the page is hasty, but for kinds
known to be still. A kind in doubt has changed, too, if it differs in more blocks than on most pages of the host, and
text if it does in more long paragraphs. Only pages are compared: 304 tells nothing about noise. The fields in `ALONE`
have one value a page: their places are calm at first, and only the first rule holds for them, and for dates.

When a page that was read may be requested on condition that it has changed, by what its server was found to say: it
lies if the page has changed beyond its noise and has the same validators, and is honest if they are others and the
request was conditional. A page is doubted from a lie on, until its server was honest, and so is every page of a host
that has lied on three pages more than it was honest.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.model import FIELDS, KINDS
from minicrawl.setting import REREADS
from minicrawl.settings import CrawlSettings
from minicrawl.settings.options import marked
from minicrawl.store.texts.repeated_blocks import REPEATED, RepeatedBlocks
from minicrawl.web.html.tree import MOST_BLOCKS, block_hashes, block_ids, block_numbers, packed_numbers
from minicrawl.web.kept_text import FIELD_SHIFT, ID_SHIFT, NUMBERS

_FORM = 4
"""First byte of a page's memory. Former versions had others: then the page is taken as new."""
_STATE, _THERE, _NOTED, _FICKLE = 0x3FF, 0x200, 0x100, 0x80
"""Mask and bits of a block's state, the low ten of its four bytes. Noted: it is part of the page as last reported."""
_PLACE, _MOST, _AGE = 4, 7, 0x0F
"""Of a present block: shift and mask of the restlessness of its place, mask of the fetches in a row that have it."""
_COUNT = 0x7F
"""Mask of the fetches since an absent block went."""
_CALM, _STILL = 2, 5
"""Most restlessness of a calm place; its fall at a fetch that finds it still."""
_STOOD = 8
"""Bit beside the haste: the page has been answered 304."""
_SOON = 31
"""Fetches after which an absent block is forgotten."""
_STEADY = 12
"""Fetches in a row after which a block that goes is forgotten at once: it is a change if it comes back."""
_UNKNOWN_STAY = 60
"""Quarter fetches for which noise stays, while none was seen to go. What goes first tells, later ones correct it."""
_NEW_HASTE, _HASTY, _FLED, _MOST_HASTE = 4, 3, 5, 7
"""Haste of a new page, the least of a hasty one; it rises by `_FLED` if new blocks go at once, and else falls by 1."""
_SINCE = 2
"""A block of a hasty page is gone, if it stood for more fetches."""
_FIELD = FIELD_SHIFT - ID_SHIFT
"""Bits of a block's id below the number of its field."""
_TEXT = 1 << 31 - ID_SHIFT
"""The least id of a block of text, and a bit of all."""
_NUMBERS = _TEXT | NUMBERS >> ID_SHIFT
"""The least id of a line with numbers."""
_WORDS = (1 << ID_SHIFT) - 1
"""Bits of such a line that are a hash of its words."""
_LINES, _NEW_LINES = 14 << _FIELD, 15 << _FIELD | 1 << ID_SHIFT + 1
"""Least ids by which such hashes are noted: of all lines of a page, and of those that came at its last fetch."""
_FEWEST, _COUNTS = 3, 3
"""Fewest pages of a host with such new lines that make them counters, and one in so many of those with such lines."""
_LAST_ALONE = FIELDS.index("date")
"""Fields up to this have one value a page."""
ALONE = FIELDS[1:_LAST_ALONE]
_KINDS = ("", *KINDS[:-1], *["text"] * 32)
"""By a block's field."""
_MARKS = dict(zip(KINDS, block_ids(block_hashes((), dict.fromkeys(KINDS[:-1], ()))), strict=True))
"""The marks of kinds; that of a doubtful one is fickle."""
_CALM_MARKS = {_MARKS[kind] for kind in ALONE}
_WATCHED = MOST_BLOCKS - MOST_BLOCKS // 8
"""Blocks of a page that are compared: those with the least ids. The rest is room for blocks that went."""
_ALL = 1 << 22
_TOP = -1
"""Stands for a block before the first."""


class Difference(NamedTuple):
    """Result of one fetch. memory: the page's state for the next one, four bytes and four a block.

    added, removed: blocks and values that count as changed; kinds: what they are, of `minicrawl.model.KINDS`.
    is_certain: whether it can be told at all if the page has changed. differs: whether any blocks have come or gone.
    """

    is_change: bool
    added: int
    removed: int
    memory: bytes
    is_certain: bool
    differs: bool
    kinds: tuple[str, ...] = ()


def first_seen(blocks: bytes, doubtful: Collection[str] = (), still: Collection[str] = ()) -> bytes:
    """Memory of a page fetched for the first time. blocks: as `ParsedPage.blocks`. doubtful: kinds that have changed,
    if nothing of them differs at the next fetch: else it was noise. still: those known to be as they were."""
    states, place = dict[int, int](), _MOST - 1
    calm = _CALM_MARKS.union(_MARKS[kind] for kind in still)
    for block in _watched(block_ids(blocks))[0]:
        if not block >> _FIELD:
            place = 0 if block in calm else _MOST - 1
        states[block] = _THERE | _NOTED | place << _PLACE | 2
    for mark in states.keys() & {_MARKS[kind] for kind in doubtful}:
        states[mark] |= _FICKLE
    return bytes((_FORM, _MOST - 1, _UNKNOWN_STAY, _NEW_HASTE)) + _packed(states)


def blocks_of(memory: bytes) -> bytes:
    """The blocks in a page's memory, as `ParsedPage.blocks` but for the bits below `ID_SHIFT`."""
    return memory[4:] if memory[:1] == bytes((_FORM,)) else b""


def unchanged(memory: bytes) -> Difference:
    """Difference of a page that its server says is unchanged. memory: from the fetch before."""
    if memory[:1] == bytes((_FORM,)):
        memory = memory[:3] + bytes((memory[3] | _STOOD,)) + memory[4:]
    return Difference(False, 0, 0, memory, is_certain=True, differs=False)


def noted(picture: RepeatedBlocks, page: int, blocks: bytes, before: bytes) -> set[int]:
    """Note the blocks of a page, and of the fetch before, in the picture of its host. Returns the ids of new lines that
    are counters."""
    numbers = (number for number in block_numbers(blocks) if number >> ID_SHIFT >= _NUMBERS)
    lines = {number >> ID_SHIFT: number & _WORDS for number in numbers}
    new = {line: lines[line] for line in lines.keys() - block_ids(before)}
    ids = {_LINES | words for words in lines.values()} | {_NEW_LINES | words for words in new.values()}
    picture.note(page, before + blocks + packed_numbers([number << ID_SHIFT for number in ids]))
    least = {words: max(_FEWEST, picture.pages(_LINES | words) / _COUNTS) for words in new.values()}
    return {line for line, words in new.items() if picture.pages(_NEW_LINES | words) >= least[words]}


def compared(  # noqa: PLR0913 - all that tells changes from noise
    memory: bytes,
    blocks: bytes,
    counters: Collection[int] = (),
    *,
    says_changed: bool | None = False,
    pages: Callable[[int], int] = lambda _: 0,
    is_odd: Callable[[str, int], bool] | None = None,
) -> Difference:
    """Difference of a page from the fetch before, which left `memory`.

    counters: ids of the new lines that count. says_changed: the answer has other validators; believed of a page that
    was answered 304 before. pages: number of pages of the host, with this one, that a block is known to stand on.
    is_odd: whether a page whose noise is not known differs in more blocks of a kind than others. A page whose marks are
    others is taken as new: something else is compared.
    """
    before, now = _marks(memory[4:]), _marks(blocks)
    if memory[:1] != bytes((_FORM,)) or (before and now and before != now):
        return Difference(False, 0, 0, first_seen(blocks), is_certain=False, differs=False)
    is_told = bool(says_changed and memory[3] & _STOOD)
    return _Fetch(memory, blocks, pages, set() if is_told else {*counters}, says_changed=is_told).difference(is_odd)


class _Fetch:
    """One fetch of a page beside the one before.

    known, after: states of blocks by their ids, before and after this fetch, those present in the order of the page.
    came, left: blocks. enough: fetches for which noise does not stay. counted: blocks that are changes. levels: how
    restless the first place of a kind is, while no noise was seen to go; 0: it was the same at each fetch.
    """

    def __init__(
        self, memory: bytes, blocks: bytes, pages: Callable[[int], int], counters: set[int], *, says_changed: bool
    ) -> None:
        self.top, self.stay, haste = memory[1:4]
        self.haste, self.has_stood = haste & _MOST_HASTE, haste & _STOOD
        self.enough = self.stay // 2
        self.says_changed, self.counters, self._pages = says_changed, counters, pages
        self.known = known = {number >> ID_SHIFT: number & _STATE for number in block_numbers(memory[4:])}
        self.there = there = [block for block, state in known.items() if state & _THERE]
        self.now, bound = _watched(block_ids(blocks))
        marks = {kind: mark for kind, mark in _MARKS.items() if mark in known and self.stay == _UNKNOWN_STAY}
        self.levels = {kind: known[mark] >> _PLACE & _MOST for kind, mark in marks.items()}
        self.came: list[int] = []
        self.left: list[int] = []
        self.counted: list[int] = []
        self.kept: Set[int] = known.keys()
        if self.now != there:
            self.kept = set(there).intersection(self.now)
            bound = min(bound, max(there) if len(there) >= _WATCHED else _ALL)
            self.came = [block for block in self.now if block not in self.kept and block <= bound]
            self.left = [block for block in there if block not in self.kept and block <= bound]
        self.after = {
            block: (_AGED_BEFORE_NUMBERS if behind >= _NUMBERS and block >= _TEXT else _AGED)[known[block]]
            if block in self.kept
            else _THERE | _NOTED | 1
            for block, behind in pairwise((*self.now, 0))
        }

    def pages(self, block: int) -> int:
        """Number of pages of the host that a block is known to stand on, if that matters."""
        return REPEATED if block in self.counters else 0 if _is_alone(block) else self._pages(block)

    def difference(self, is_odd: Callable[[str, int], bool] | None) -> Difference:
        gone = self._raised()
        self._hurried(gone)
        differing = {_KINDS[block >> _FIELD] for block in (*self.came, *self.left)}
        own = Counter(_KINDS[block >> _FIELD] for block in (*self.came, *self.left) if self.pages(block) < REPEATED)
        absent = self._departures(gone)
        removed = len(self.counted)
        is_certain = self._arrivals()
        if self.says_changed and not own:
            self.counted, removed = [], 0
        doubtful = {kind for kind, mark in _MARKS.items() if self.after.get(mark, 0) & _FICKLE}
        self.after |= {_MARKS[kind]: self.after[_MARKS[kind]] & ~_FICKLE for kind in doubtful}
        changed = {_KINDS[block >> _FIELD] for block in self.counted} | doubtful - differing
        if is_odd is not None:
            changed.update(kind for kind, level in self.levels.items() if level > _CALM and is_odd(kind, own[kind]))
        is_change = bool(changed)
        if is_change:  # all that is present now is part of this report, and nothing absent is
            self.after = {block: state | _NOTED for block, state in self.after.items()}
            absent = {block: state & ~_NOTED for block, state in absent.items()}
        room = MOST_BLOCKS - len(self.after)
        if len(absent) > room:
            absent = dict(sorted(absent.items(), key=lambda item: item[1] & _COUNT)[:room])
        memory = bytes((_FORM, self.top, self.stay, self.haste | self.has_stood)) + _packed(self.after | absent)
        kinds, added = tuple(kind for kind in KINDS if kind in changed), len(self.counted) - removed
        return Difference(is_change, added, removed, memory, is_change or is_certain, bool(own), kinds)

    def _raised(self) -> list[tuple[int, int]]:
        """Let places that differ be more restless. Blocks that left, and how restless their place is."""
        gone, fresh = self._by_place(self.there, self.left), self._by_place(self.now, self.came)
        rise = not self.says_changed
        told: list[tuple[int, int]] = []
        at_top = self.top
        self.top = max(0, self.top - _STILL)
        for place in gone.keys() | fresh.keys():
            own = at_top if place == _TOP else self.known[place] >> _PLACE & _MOST
            most = max([own, *(self.known[block] >> _PLACE & _MOST for block in gone.get(place, ()))])
            more = rise * (1 + (place >= _TEXT and min((*gone.get(place, ()), *fresh.get(place, ()))) >= _NUMBERS))
            own, most = min(_MOST, own + more), min(_MOST, max(own + more, most + rise))
            if place == _TOP:
                self.top = own
            else:
                self.after[place] = self.after[place] & ~(_MOST << _PLACE) | own << _PLACE
            if not self.counters.isdisjoint(fresh.get(place, ())):
                lines = (block for block in gone.get(place, ()) if block >= _NUMBERS)
                self.counters.update(block for block in lines if self._pages(block) < REPEATED)
            for block in fresh.get(place, ()):
                is_fickle = block in self.known and not (self.says_changed or _is_alone(block))
                self.after[block] = _THERE | _FICKLE * is_fickle | most << _PLACE | 1
            rotates = any(block & _TEXT and block in self.known for block in fresh.get(place, ()))
            told += [(block, _MOST + 1 if rotates else most) for block in gone.get(place, ())]
        return told

    def _by_place(self, blocks: list[int], some: list[int]) -> dict[int, list[int]]:
        """The blocks of `some` by the last block before them that stays."""
        if not some:
            return {}
        found: dict[int, list[int]] = {}
        wanted, place = set(some), _TOP
        for block in blocks:
            if block in wanted:
                found.setdefault(place, []).append(block)
            elif block in self.kept:
                place = block
        return found

    def _hurried(self, gone: list[tuple[int, int]]) -> None:
        """Let the page be more hasty if new blocks have gone at once, or came back, where noise is not at home; less
        if they have stayed."""
        known, after, pages = self.known, self.after, self.pages
        left = [block for block, level in gone if level < _MOST and pages(block) < REPEATED]
        came = [block for block in self.came if after[block] >> _PLACE & _MOST < _MOST and pages(block) < REPEATED]
        if any(known[block] & (_FICKLE | _AGE) == 1 for block in left) or any(
            block in known and not known[block] & _FICKLE for block in came
        ):
            self.haste = min(_MOST_HASTE, self.haste + _FLED)
        elif not (came or left) or any(state & (_FICKLE | _AGE) == 2 for state in after.values()):
            self.haste = max(0, self.haste - (1 if self.came or self.left else 2))

    def _departures(self, gone: list[tuple[int, int]]) -> dict[int, int]:
        """Count the blocks that are removed. Returns the states of absent ones."""
        absent: dict[int, int] = {}
        longest = 0
        for block, level in gone:
            state = self.known[block]
            age, after = state & _AGE, state & _FICKLE | 1
            is_noted = state & _NOTED
            stood = self.enough * (1 + (level > _MOST)) if level > _CALM else _SINCE * self._is_hasty(block)
            is_noise = self.pages(block) >= REPEATED or (state & _FICKLE and not self.says_changed)
            if not is_noise and (self.says_changed or (is_noted and age > stood and self.pages(block) < 2)):
                self.counted.append(block)
            elif level > _CALM and (not is_noise or block in self.counters):
                longest = max(longest, age % _AGE)
            elif not is_noise and is_noted and age > 1:
                after |= _NOTED
            if after != 1 or age <= _STEADY:
                absent[block] = after
        if longest:
            gap = self.stay - 4 * longest
            is_first = self.stay == _UNKNOWN_STAY and not self.has_stood
            self.stay -= gap if gap <= 0 or is_first else (gap + 1) // 2
        for block, state in self.known.items():
            if state & _THERE or block in self.after:
                continue
            if state & _NOTED and self.pages(block) < REPEATED:
                self.counted.append(block)
            if state & _COUNT < _SOON:
                absent[block] = (state & ~_NOTED) + 1
        return absent

    def _arrivals(self) -> bool:
        """Count the blocks that are added. True if the others can be told from noise."""
        is_certain = True
        for front, is_calm in self._fronts():
            for block in front:
                age = self.after[block] & _AGE
                is_new = age < 2 and (self._is_hasty(block) or self.pages(block) > 1)
                if self.pages(block) >= REPEATED:
                    self.after[block] |= _NOTED
                elif self.says_changed or age > self.enough + 1 or (is_calm and not is_new):
                    self.counted.append(block)
                elif not is_calm and (age > 1 or self.enough > _AGE):
                    is_certain = False
        return is_certain

    def _is_hasty(self, block: int) -> bool:
        return self.haste >= _HASTY and not _is_alone(block) and self.levels.get(_KINDS[block >> _FIELD]) != 0

    def _fronts(self) -> Iterator[tuple[list[int], bool]]:
        """Runs of blocks that are not reported yet, without fickle ones; True for those of calm places alone."""
        front: list[int] = []
        is_calm = self.top <= _CALM
        for block, state in self.after.items():
            is_calm_here = state >> _PLACE & _MOST <= _CALM
            if not state & _NOTED:
                is_calm = is_calm and is_calm_here
                if not state & _FICKLE:
                    front.append(block)
                continue
            if front:
                yield front, is_calm
                front = []
            is_calm = is_calm_here
        if front:
            yield front, is_calm


def _watched(ids: list[int]) -> tuple[list[int], int]:
    """The blocks that are compared, and the id above which nothing is known of the page."""
    if len(ids) < _WATCHED:
        return ids, _ALL
    bound = sorted(ids)[_WATCHED - 1]
    return [block for block in ids if block <= bound], bound


def _is_alone(block: int) -> bool:
    """True for a value of a field that has one a page."""
    return 0 < block >> _FIELD <= _LAST_ALONE


def _marks(blocks: bytes) -> set[int]:
    """The marks of a page's fields."""
    return {block for block in block_ids(blocks) if not block >> _FIELD}


def _packed(states: Mapping[int, int]) -> bytes:
    return packed_numbers([block << ID_SHIFT | state for block, state in states.items()])


def _aged(state: int, falls: Sequence[int]) -> int:
    """State of a block that is there once more, in a place that is still."""
    return state & ~_COUNT | falls[state >> _PLACE & _MOST] << _PLACE | min(_AGE, (state & _AGE) + 1)


_FALLS = [max(0, place - _STILL) for place in range(_MOST + 1)]
_SLOWLY = [*_FALLS[:_STILL], 4, 0, 5]
"""Of a place in front of a line with numbers: 7, 5, 4, and 0 in the end. A new one has 6."""
_AGED = [_aged(state, _FALLS) for state in range(_STATE + 1)]
_AGED_BEFORE_NUMBERS = [_aged(state, _SLOWLY if state & _AGE > 1 else _FALLS) for state in range(_STATE + 1)]


def needs(settings: CrawlSettings) -> dict[str, Any]:
    """The settings that say which links and what else is taken from a page, as JSON: with others, all is read again."""
    shown = settings.shown()
    found: dict[str, Any] = json.loads(json.dumps({name: shown[name] for name in sorted(marked(REREADS))}))
    return found  # with lists for tuples, to compare with those of the store


_CHECKED, _PROBED = 11, 8
_LIES = 3
"""Lies from which on a host is doubted."""
_TRUSTED, _SUSPECT, LIED = range(3)
"""Doubts in a page. A suspect has other blocks under the same validators, which may be noise."""


def is_conditional(turn: int, of_page: int, of_host: int) -> bool:
    """True if a request is to have the page's validators. turn: of the page, counted from another number on each.
    of_page, of_host: doubts."""
    if of_page or of_host >= _LIES:
        return turn % _PROBED == 0
    return turn % _CHECKED != 0


def page_doubt(doubt: int, found: Difference, *, is_same: bool, was_conditional: bool) -> int:
    """The doubt in a page after a full answer. is_same: it has the same validators."""
    if not is_same:
        return _TRUSTED if found.differs and was_conditional else doubt
    if found.is_change and found.is_certain:
        return LIED
    return max(doubt, _SUSPECT * (not found.is_certain)) if doubt == LIED or not found.is_certain else _TRUSTED


def host_doubt(doubt: int, of_page: int, now: int, *, was_conditional: bool) -> int:
    """The doubt in a host after an answer that has changed the doubt in a page."""
    if now == LIED:
        return doubt + (of_page != LIED)
    return max(doubt - 1, 0) if now == _TRUSTED and was_conditional else doubt
