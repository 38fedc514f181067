"""What has changed on a page, by the answers of one moment: a difference from what is stored is requested again.

gap    where lines differ: between two lines that the stored page and all answers have; of fields, their kind; of
       pictures, those with one shape
noise  what differs between the answers of one moment, and what has changed at every check

In each gap stands S of the stored page, and A1, A2, A3 of the answers:

    all A alike, and not S        a change
    some A as S                   undecided: nothing is told; the second time it is noise, or with the same lines, as
                                  of a server that is late, the third. Of prices two of three decide
    the A differ, and none is S   noise, but for what all A have

A page that is not the known one (another status or address, fewer than half of its lines) is told once three answers
are alike, or two that say it is gone.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Set
from itertools import chain, dropwhile
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from minicrawl.web.compare.view import Entry, View, shape

GONE = frozenset({404, 410})
SURE = frozenset({"price", "availability"})
"""Kinds of lines that are not noise for having changed often."""
_FIELDS = frozenset({"title", "description", "canonical", "robots", "author"})
_MOST_ANSWERS = 3
_KNOWN_PART = 2
"""A page has one line in so many of the stored one, or is another page."""
_CUT_PART, _FEWEST_CUT = 5, 2
"""An answer without one line in so many, or without so many at the end, and without a new one, is cut off, if another
one is not."""
_ON_PAGE = frozenset({"text", "price", "availability", "link"})
"""Kinds of lines whose order is that of the page."""
_HABIT, _LATELY = 3, 10
"""Changes in one place that make them a habit, among so many checks; and times that a line has come or gone."""
_MOST_NOISE = 2_000


class Memory(Struct):
    """What is known of a page's changes. noise: hashes of places, and of shapes of lines, that say nothing; once: gaps
    that were undecided; held: those of which a change waits for the next check (~: one that only most answers have),
    and what has come there; changed: by place, the last checks that have found a change there; came: by line, how often
    it has come or gone."""

    noise: list[int] = field(default_factory=list)
    once: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    changed: dict[int, list[int]] = field(default_factory=dict)
    came: dict[int, int] = field(default_factory=dict)

    def forget(self, check: int) -> None:
        """Forget what is too long ago, or too much. check: the number of the present one."""
        lately = [(place, checks) for place, checks in self.changed.items() if checks[-1] > check - _LATELY]
        self.changed, self.came = dict(lately[-_MOST_NOISE:]), dict(list(self.came.items())[-_MOST_NOISE:])
        self.noise, self.once, self.held = (
            list(dict.fromkeys(each))[-_MOST_NOISE:] for each in (self.noise, self.once, self.held)
        )

    def learn(self, hashes: Iterable[int]) -> None:
        self.noise += hashes

    def note(self, lines: Iterable[Entry], times: int = 1) -> int:
        """Note that these have come or gone. Returns the highest number of times that any of them did so before."""
        often = 0
        for entry in lines:
            number = _hash(entry.kind, entry.key)
            often = max(often, self.came.get(number, 0))
            self.came[number] = self.came.pop(number, 0) + times
        return often

    def holds(self, gap: "Gap", came: Sequence[Entry], went: Sequence[Entry], check: int | None) -> bool:
        """True if a change is not told before the next check finds it, too: all of its lines have come or gone before,
        if only for a moment, or others have in their place; or more lines differ between the answers than have come
        and gone, so that these may be among them by chance; or one number of each line alone has changed, and here
        something had at the last check."""
        content = gap.with_lines(came)
        was_held, was_of_most, is_found_again = (number in self.held for number in (gap.hash, ~gap.hash, content))
        self.held = [number for number in self.held if number not in (gap.hash, ~gap.hash, content)]
        times = self.changed.get(gap.hash, [])
        if was_held or was_of_most:
            if was_held and not is_found_again and check:
                self.changed[gap.hash] = [*times, check - 1]
            return False
        is_known = all(_hash(entry.kind, entry.key) in self.came for entry in (*came, *went))
        is_instead = gap.hash in self.once and (bool(went) or not gap.before)
        shapes, before = ({shape(entry.key) for entry in lines if entry.kind != "bytes"} for lines in (came, went))
        gone, now = ({word for entry in lines for word in entry.key.split()} for lines in (went, came))
        is_again = check is not None and times[-1:] == [check - 1] and bool(shapes) and shapes == before
        is_again = is_again and len(gone - now) <= len(went)  # of a date more than one number is another
        is_chance = check is not None and gap.is_noisier_than(len(came) + len(went))
        if not any((is_known, is_instead, is_again, is_chance)):
            return False
        if not is_again:
            self.once.append(gap.hash)
        self.held += gap.hash, content
        return True


class Verdict(NamedTuple):
    """asks: another answer is needed. what: "same", "changed", "lost", "moved" (as before, at another address),
    "replaced" (by another page), "unsure" (its answers differ), or as `rounds` has it. added, removed: lines. base:
    what is stored from now on; None: as before. habits: lines behind which something changes at every check."""

    what: str = "same"
    asks: bool = False
    added: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()
    base: View | None = None
    habits: tuple[str, ...] = ()


def first_view(answers: Sequence[View], memory: Memory, *, is_last: bool) -> View | None:
    """What is stored of a page at first, from as many answers as make a change; what differs between those that are of
    one page is noise. None: ask once more. is_last: no other answer will come."""
    if len(answers) < _MOST_ANSWERS and not is_last:
        return None
    alike = [
        [other for other in answers if _is_same_page(view, other) and _is_same_page(other, view)] for view in answers
    ]
    most = max(map(len, alike))
    number = max((len(view.entries), at) for at, view in enumerate(answers) if len(alike[at]) == most)[1]
    view = answers[number]
    for gap in _gaps(view, _whole(view, alike[number]), memory, frozenset()):
        memory.learn(gap.hashes(chain(gap.before, *gap.after), [gap.hash], gap.after))
    memory.forget(0)
    return view


def compare(  # noqa: PLR0913 - what a verdict depends on
    stored: View,
    answers: Sequence[View],
    memory: Memory,
    shared: Container[int] = frozenset(),
    *,
    check: int | None = 0,
    is_last: bool = False,
) -> Verdict:
    """The verdict on the answers of one moment, in order. memory: learns from them once no other is asked for. shared:
    noise of the host. check: its number; None: nothing becomes a habit, as of a feed. is_last: no other will come."""
    fine = [view for view in answers if _is_same_page(stored, view)]
    if not fine:
        return _other_page(stored, answers, is_last=is_last)
    fine = _whole(stored, fine)
    gaps = list(_gaps(stored, fine, memory, shared))
    is_enough = is_last or len(answers) >= _MOST_ANSWERS
    if not gaps:
        return Verdict()
    needs = any(not gap.is_beside and (len(fine) == 1 or gap.may_change(memory)) for gap in gaps)
    if needs and not is_enough:
        return Verdict(asks=True)
    return _decided(fine, gaps, memory, None if stored.is_feed else check, is_last=is_last)


def _decided(
    fine: Sequence[View], gaps: "Sequence[Gap]", memory: Memory, check: int | None, *, is_last: bool
) -> Verdict:
    added, removed, habits, kept = list[Entry](), list[Entry](), list[str](), list[Gap]()
    changes = [(gap, *gap.change()) for gap in gaps]
    has_come, has_gone = (any(gap_lines[number] for gap_lines in changes) for number in (1, 2))
    for gap, came, went in changes:
        if len(fine) == 1 and not is_last and not gap.is_beside:  # the other answers were not pages
            kept.append(gap)
        elif not came and not went:
            kept.append(gap)
            times = memory.note(gap.noise, 2) if gap.is_undecided else 0  # they have come, and gone
            if not gap.is_undecided or (gap.hash in memory.once and not 0 < times <= 2):
                memory.learn(gap.hashes(gap.noise, [] if times else [gap.hash], gap.after))
            else:
                memory.once.append(gap.hash)
                if of_most := gap.change_of_most():  # the next check tells it, if it finds it, too
                    memory.held += ~gap.hash, gap.with_lines(of_most[0])
        elif not (gap.is_sure or gap.place[0] in _FIELDS) and memory.holds(gap, came, went, check):
            kept.append(gap)
        else:
            if gap.noise:
                memory.learn(gap.hashes(gap.noise, [gap.hash], gap.after))
            places = gap.places(is_window=has_come and has_gone)
            lines = [*came, *went]
            are_known = all(_hash(entry.kind, entry.key) in memory.came for entry in lines)
            is_habit = check is not None and _is_habit(memory, places, lines, check)
            if is_habit and len(_only_sure(lines)) < len(lines):
                memory.learn(gap.hashes(lines, [] if are_known else places, [came, went]))
                memory.changed = {place: at for place, at in memory.changed.items() if place not in places}
                habits.append(gap.behind)
            added += _only_sure(came) if is_habit else came
            removed += _only_sure(went) if is_habit else went
    memory.forget(check or 0)
    what = "changed" if added or removed else "same"
    base = _next(fine, kept, memory) if what == "changed" or habits else None
    return Verdict(what, added=tuple(added), removed=tuple(removed), base=base, habits=tuple(habits))


def _only_sure(lines: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in lines if entry.kind in SURE]


def _is_habit(memory: Memory, places: Iterable[int], lines: Iterable[Entry], check: int) -> bool:
    """Note a change. True if it is one of many in one of its places, or of lines that come and go."""
    often = 0
    for place in places:
        lately = [number for number in memory.changed.get(place, ()) if number > check - _LATELY]
        memory.changed[place] = [*lately, check]
        often = max(often, len(lately) + 1)
    return max(often, memory.note(lines)) >= _HABIT


def _next(answers: Sequence[View], kept: "Sequence[Gap]", memory: Memory) -> View:
    """The last answer, with what is stored in the gaps where nothing was decided. What others lack is noise."""
    answer = answers[-1]
    out = {id(entry) for gap in kept for entry in gap.after[-1]}
    common = set.intersection(*({(entry.kind, entry.key) for entry in view.entries} for view in answers))
    common |= _dated_alike(answers, common)
    for entry in answer.entries if answer.alike is None else ():
        has_words = entry.kind not in SURE and any(map(str.isalpha, entry.key))
        if has_words and (entry.kind, entry.key) not in common and id(entry) not in out:
            memory.learn([shape_hash(entry, "")])
    stored = defaultdict[tuple[str, ...], list[Entry]](list)
    for gap in kept:
        stored[gap.place[:2]] += gap.before
    entries = stored.pop(("text", ""), []) + stored.pop(("data", ""), [])
    for entry in answer.entries:
        if id(entry) not in out:
            entries += entry, *stored.pop((_order(entry), entry.key), ())
    return replace(answer, entries=(*entries, *chain.from_iterable(stored.values())))


def _other_page(stored: View, answers: Sequence[View], *, is_last: bool) -> Verdict:
    """The verdict where no answer is the known page."""
    last = answers[-1]
    if not is_last and len(answers) < (2 if last.status in GONE else _MOST_ANSWERS):
        return Verdict(asks=True)
    moved = [view for view in answers if view.status == stored.status and has_same_lines(stored, view)]
    if len(moved) >= min(2, len(answers)) and len({view.address for view in moved}) == 1:
        return Verdict("moved", base=moved[-1])
    if not all(_is_same_page(view, last) for view in answers):
        return Verdict("unsure")
    if last.status is None or last.status >= 400:
        return Verdict("lost")
    return Verdict("replaced")


def _is_same_page(stored: View, view: View) -> bool:
    return (view.status, view.address) == (stored.status, stored.address) and has_same_lines(stored, view)


def has_same_lines(stored: View, view: View) -> bool:
    """True if a view has half of the lines of another one, by their shapes; of one with next to none, if it has any."""
    before, now = ({shape(entry.key) for entry in one.entries if entry.kind not in _FIELDS} for one in (stored, view))
    return _KNOWN_PART * len(before & now) >= len(before) or (len(before) < 2 * _KNOWN_PART and bool(now))


def _whole(stored: View, fine: list[View]) -> list[View]:
    """Those that are not cut off, if there are any."""
    return [view for view in fine if not _is_cut(stored, view)] or fine


def _is_cut(stored: View, view: View) -> bool:
    """True if many lines are missing, or some at the end, and no more than the last one is another."""
    keys = [(entry.kind, entry.key) for entry in stored.entries if entry.kind in _ON_PAGE]
    own = {(entry.kind, entry.key) for entry in view.entries if entry.kind in _ON_PAGE}
    left = list(dropwhile(lambda key: key not in own, reversed(keys)))
    missing = len(set(keys) - own)
    is_end = len(keys) - len(left) == missing >= _FEWEST_CUT
    return view.is_cut or ((_CUT_PART * missing >= len(keys) or is_end) and len(own.difference(keys)) <= 1)


class Gap:
    """A place where the stored page and its answers differ. before: stored lines; after: those of each answer."""

    def __init__(self, place: tuple[str, ...], behind: str, before: list[Entry], after: list[list[Entry]]) -> None:
        self.behind, self.before, self.after = behind, before, after
        self.place = place
        self.hash = _hash(*place)
        self._keys = keys = [{entry.key for entry in entries} for entries in after]
        self._stored = {entry.key for entry in before}
        self._common = set.intersection(*keys)
        self._are_alike = all(each == keys[0] for each in keys)
        self.are_as_stored = [each == self._stored for each in keys]
        self._by_key = {entry.key: entry for entries in (before, *after) for entry in entries}

    def places(self, *, is_window: bool) -> list[int]:
        """Hashes of where it is. is_window: lines come to the page, and others go: then it is also behind one line, or
        before one, as the ends of a list of the latest are. What stands there beside the content has a place apart."""
        hashes = [self.hash]
        if is_window and len(self.place) == 3:
            kind, behind, ahead = self.place
            ends = ((behind, "*") if behind else None, ("*", ahead) if ahead else None)
            hashes += (_hash(kind, *end) for end in ends if end is not None)
        return [~number for number in hashes] if self.is_beside else hashes

    @property
    def is_sure(self) -> bool:
        return any(entry.kind in SURE for entry in self._by_key.values())

    @property
    def is_beside(self) -> bool:
        """True if all of it stands beside the content, of which no message is sent: it is asked no further."""
        return all(entry.is_beside for entry in self._by_key.values())

    @property
    def is_undecided(self) -> bool:
        """True if some answers are as stored, and others are not."""
        return any(self.are_as_stored)

    def may_change(self, memory: Memory) -> bool:
        """True if another answer may show a change here, or that most answers have one."""
        if self.is_undecided:
            return self.is_sure or self.hash not in memory.once
        return bool(self.change()[0] or self.change()[1])

    def change_of_most(self) -> tuple[list[Entry], list[Entry]] | None:
        """The change that two answers have, where another one is as stored."""
        ((most, times),) = Counter(map(frozenset, self._keys)).most_common(1)
        return self._told(most) if times >= 2 and most != self._stored else None

    def with_lines(self, lines: Iterable[Entry]) -> int:
        """The hash of it with these lines."""
        return _hash(*self.place, *sorted(entry.key for entry in lines))

    @property
    def noise(self) -> list[Entry]:
        """What is noise here if anything is."""
        entries = {entry.key: entry for entries in self.after for entry in entries if entry.key not in self._common}
        if not self.is_undecided:
            shapes = set(map(shape, entries))
            entries |= {entry.key: entry for entry in self.before if shape(entry.key) in shapes}
        return list(entries.values())

    def is_noisier_than(self, changes: int) -> bool:
        """True if more lines than that differ between each answer and the others."""
        return min(len(keys - self._common) for keys in self._keys) > changes

    def change(self) -> tuple[list[Entry], list[Entry]]:
        """What has come, and what has gone."""
        if self._are_alike:
            return self._told(self._keys[0])
        if self.is_undecided:
            return (self.is_sure and self.change_of_most()) or ([], [])
        came = self._common - self._stored
        fewer = len(self._stored) > max(map(len, self._keys))
        if not came and not fewer:
            return [], []
        shapes = {shape(key) for keys in self._keys for key in keys - self._common}
        went = {key for key in self._stored if shape(key) not in shapes}.difference(*self._keys)
        return [self._by_key[key] for key in sorted(came)], [self._by_key[key] for key in sorted(went)]

    def _told(self, now: Set[str]) -> tuple[list[Entry], list[Entry]]:
        came = [self._by_key[key] for key in self._by_key if key in now and key not in self._stored]
        return came, [entry for entry in self.before if entry.key not in now]

    def hashes(self, entries: Iterable[Entry], places: list[int], instead: Iterable[Sequence[Entry]]) -> list[int]:
        """Hashes by which noise among these lines is recognised: of the shape of each line; and of where it is, unless
        only numbers differ between the lines that stand in each other's stead: other lines may change there."""
        shapes = {frozenset(shape(entry.key) for entry in lines) for lines in instead}
        return [*(places if len(shapes) > 1 else ()), *(shape_hash(entry, self.behind) for entry in entries)]


def shape_hash(entry: Entry, behind: str) -> int:
    """The hash of a line's shape; of a bare number with the line before it."""
    bare = shape(entry.key)
    return _hash(entry.kind, bare, "" if any(map(str.isalpha, bare)) else behind)


def _hash(*parts: str) -> int:
    return zlib.crc32("\n".join(parts).encode("utf-8", "replace"))


def _gaps(stored: View, answers: Sequence[View], memory: Memory, shared: Container[int]) -> Iterator[Gap]:
    """The gaps in which something is not noise."""
    own = set(memory.noise)

    def is_noise(number: int) -> bool:
        return number in own or number in shared

    views = [stored, *answers]
    keys = [{(entry.kind, entry.key) for entry in view.entries} for view in views]
    common = set.intersection(*keys)
    if all(len(each) == len(common) for each in keys):
        return
    same = _dated_alike(views, common)
    found = dict[tuple[str, ...], tuple[str, list[list[Entry]]]]()
    seen = dict[tuple[str, str], tuple[tuple[str, ...], str]]()  # a line has other lines around it in another view
    for number, view in enumerate(views):
        for own_place, own_behind, entry in _outside(view, common, same, memory, is_noise):
            place, behind = seen.setdefault((entry.kind, entry.key), (own_place, own_behind))
            if entry.kind not in SURE and is_noise(shape_hash(entry, behind)):
                continue
            found.setdefault(place, (behind, [[] for _ in views]))[1][number].append(entry)
    for place, (behind, lists) in found.items():
        gap = Gap(place, behind, lists[0], lists[1:])
        where = gap.places(is_window=True)
        if not any(is_noise(number) or (gap.is_beside and is_noise(~number)) for number in where):
            yield gap
        elif gap.is_sure:
            before, *after = _same_offers(lists)
            sure = Gap(place, behind, before, after)
            if not all(sure.are_as_stored):
                yield sure


def _same_offers(lists: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
    """What says for how much, or whether, the same things are for sale in all of these: others come and go there."""
    common = set.intersection(*({shape(entry.key) for entry in entries} for entries in lists))
    return [
        [entry for entry in _only_sure(entries) if entry.kind != "price" or shape(entry.key) in common]
        for entries in lists
    ]


def _dated_alike(views: Sequence[View], common: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Lines that differ in the day or time of their answers alone."""
    dated = list[dict[tuple[str, str], tuple[str, str]]]()
    for view in views:
        of_view = dict[tuple[str, str], tuple[str, str]]()
        for entry in view.entries:
            if (entry.kind, entry.key) not in common and any(map(str.isdigit, entry.key)):
                key = view.dated(entry.key)
                if key != entry.key:
                    of_view[entry.kind, key] = entry.kind, entry.key
        dated.append(of_view)
    alike = set.intersection(*(set(of_view) for of_view in dated))
    return {of_view[key] for of_view in dated for key in alike}


def _order(entry: Entry) -> str:
    """What the order of a line is among."""
    return "data" if entry.kind == "data" else "text"


def _outside(
    view: View,
    common: Set[tuple[str, str]],
    same: Set[tuple[str, str]],
    memory: Memory,
    is_noise: Callable[[int], bool],
) -> Iterator[tuple[tuple[str, ...], str, Entry]]:
    """The lines that not all views have, with their gap and the line before it. A line that all views have, but that
    has come and gone before, or is noise, is the end of none: all may have it by chance. Hashes do not tell."""
    by_kind = dict[str, list[Entry]]()
    for entry in view.entries:
        by_kind.setdefault(_order(entry), []).append(entry)
    for kind, entries in by_kind.items():
        ends, between = [""], [list[Entry]()]
        for entry in entries:
            name = entry.kind, entry.key
            if name in same:
                continue
            if entry.kind in _FIELDS:
                if name not in common:
                    yield (entry.kind,), entry.kind, entry
            elif entry.kind == "image" and not (view.alike is None and " " in entry.key):  # its place may not be known
                if name not in common:
                    yield (entry.kind, shape(entry.key)), entry.kind, entry
            elif name not in common:
                between[-1].append(entry)
            elif (
                view.alike is not None
                or entry.kind in SURE
                or not (memory.came.get(_hash(*name), 0) > 1 or is_noise(shape_hash(entry, ends[-1])))
            ):
                ends.append(entry.key)
                between.append([])
        ends.append("")
        for behind, waiting, ahead in zip(ends, between, ends[1:], strict=False):
            yield from (((kind, behind, ahead), behind, each) for each in waiting)
