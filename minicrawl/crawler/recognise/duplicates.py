"""Group pages with the same or nearly the same content, and decide whether to believe a page's rel=canonical
(docs/same-page.md).

The first page of a group is its leader; a later page with its payload, or with a sketch that differs from a leader's
in at most ALIKE bits, is marked with it. A leader is not a duplicate itself, and an alias is not a leader until it
stands for itself again. The first 192 bits of each leader's sketch are in memory; the rest is in its row of `fetches`,
for the few that are alike so far. Three of the 192 bits' runs of 16 are bands: pages with J = .95 agree in a band with
probability .67, in one of three at least with .96, so only leaders with an equal band are compared, the latest first.

Invariant: the result depends only on the rows of `fetches` and on which pages are aliases, so a restart finds the
same, as long as no more than MOST_IN_BAND leaders have an equal band. Entries of pages that have changed since stay in
memory, and are passed over: the row decides. Once most are stale, load everything again.

A page is not believed to be another one that it names as canonical, under another path, if both were read, and share
less than SHARED of their sketches. For pages with little text, or whose canonical page was not read, more must say so:
a canonical URL is refuted once DIFFERENT pages under other paths have named it whose contents differ from its own and
from one another. A page that differs in the query only, or has the same content, is believed as before. Claims are in
memory for the MOST_NAMED canonical URLs named last; another one's are read from the store when it is next named.
"""

import re
import struct
from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from minicrawl.store.recognised import Fingerprint
from minicrawl.store.tables import Columns
from minicrawl.web.fingerprint import alike, distance

ALIKE = 12
"""Most bits in which sketches of near-duplicates differ: J is about .925 then."""
ALIKE_SO_FAR = 9
"""The same for the bits in memory."""
MOST_VERIFIED = 8
"""Leaders whose whole sketches are compared, those most alike so far first."""
MOST_IN_BAND = 256
"""Leaders compared per band, the latest: a site could make any number with an equal band."""
_FEW = 1_024
"""Leaders of a crawl for which stale entries do not matter."""
_WORDS = struct.Struct("=3Q")  # the words of a sketch that are in memory
_PLACES = 1 << 16

Keys = npt.NDArray[np.uint64]


Likeness = tuple[int, int | None]
"""Leader of a duplicate, and the bits in which the sketches differ; None: the bytes are the same."""


class Duplicates:
    """The fingerprints of all pages.

    blocks: those in the store. kept: a page's fingerprint there, or None. said: pages that were the first there with a
    payload, some of them aliases. is_alias: whether a page stands for another. few: leaders of a crawl for which stale
    entries do not matter.
    """

    def __init__(
        self,
        blocks: Iterable[Columns],
        kept: Callable[[int], Fingerprint | None],
        said: Callable[[int], Iterable[int]],
        is_alias: Callable[[int], bool] = lambda page: False,
        *,
        few: int = _FEW,
    ) -> None:
        self._kept = kept
        self._said = said
        self._is_alias = is_alias
        self._few = few
        self._new: defaultdict[int, list[int]] = defaultdict(list)  # by payload: pages that are not in the store yet
        self._answer: tuple[int | None, list[int]] = None, []  # to the last question of `first`: a page asks twice
        self._rows: dict[int, Fingerprint | None] = {}  # not in the store yet; None: to be deleted
        self.load(blocks)

    def load(self, blocks: Iterable[Columns]) -> None:
        """Build the index of leaders from the store alone. Call it when the store has all changed rows."""
        self._stale = 0
        sketches, leaders = [np.zeros((0, 3), dtype=np.uint64)], [np.zeros(0, dtype=np.int64)]
        for block in blocks:
            leads = block["leads"] != 0
            sketches.append(block["sketch"][leads, :3])
            leaders.append(block["page"][leads])
        self._leaders = _Leaders(np.concatenate(sketches), np.concatenate(leaders))

    @property
    def is_mostly_stale(self) -> bool:
        """True if most index entries are of pages that have changed since."""
        return 2 * self._stale > max(len(self), self._few)

    def __len__(self) -> int:
        """Leaders in the index, including those that are none any more."""
        return len(self._leaders)

    def first(self, payload: int) -> list[int]:
        """Pages that were the first with this payload, some of them aliases, or changed since."""
        if self._answer[0] != payload:
            self._answer = payload, sorted({*self._said(payload), *self._new.get(payload, ())})
        return self._answer[1]

    def likeness(self, page: int, payload: int | None, sketch: bytes | None) -> Likeness | None:
        """The duplicate's leader; the least distance first, then the lowest number."""
        return self._copied(page, payload) or self._resembled(page, sketch)

    def _copied(self, page: int, payload: int | None) -> Likeness | None:
        if payload is None:
            return None
        for other in self.first(payload):
            row = self.row(other)
            if row is None or row.payload != payload or other == page or self._is_alias(other):
                continue
            if row.leader is None or self._is_alias(row.leader) or self.row(row.leader) is None:
                return other, None
            if row.leader != page:
                return row.leader, row.distance
        return None

    def _resembled(self, page: int, sketch: bytes | None) -> Likeness | None:
        if sketch is None:
            return None
        nearest = (ALIKE + 1, page)
        for so_far, other in self._leaders.near(sketch)[:MOST_VERIFIED]:
            if so_far > nearest[0]:
                break
            row = self.row(other)
            if row is None or row.leader is not None or row.sketch is None or other == page or self._is_alias(other):
                continue
            nearest = min(nearest, (distance(row.sketch, sketch), other))
        return (nearest[1], nearest[0]) if nearest[0] <= ALIKE else None

    def add(self, page: int, digest: int, payload: int, sketch: bytes | None, likeness: Likeness | None) -> None:
        """Note the fingerprint of a page and its leader."""
        if not self._put(page, Fingerprint(page, digest, payload, sketch, *(likeness or (None, None)))):
            return
        if likeness is None or likeness[1] is not None:
            self._new[payload].append(page)
            self._answer = None, []
        if likeness is None and sketch is not None:
            self._leaders.add(sketch, page)

    def keep(self, page: int, digest: int, payload: int, sketch: bytes | None) -> None:
        """Note the fingerprint of an alias."""
        self._put(page, Fingerprint(page, digest, payload, sketch, None, None))

    def stand_alone(self, page: int) -> None:
        """Let an alias whose fingerprint was kept stand for itself again."""
        row = self.row(page)
        if row is not None:
            self._put(page, None)
            self.add(*row[:4], self.likeness(page, row.payload, row.sketch))

    def forget(self, page: int) -> None:
        """Delete the fingerprint of a page."""
        self._put(page, None)

    def row(self, page: int) -> Fingerprint | None:
        """The fingerprint of a page, if it has one."""
        return self._rows[page] if page in self._rows else self._kept(page)

    def take_rows(self) -> dict[int, Fingerprint | None]:
        """Rows that changed since the last call, by page; None: deleted."""
        rows, self._rows = self._rows, {}
        self._new.clear()
        return rows

    def _put(self, page: int, row: Fingerprint | None) -> bool:
        """Note the present row of a page. False if it was so before."""
        before = self.row(page)
        if row == before:
            return False
        self._stale += before is not None
        self._rows[page] = row
        return True


class _Leaders:
    """Pages by the first words of their sketches: 40 to 60 bytes each."""

    def __init__(self, words: Keys, pages: npt.NDArray[np.int64]) -> None:
        self._bands = [_Band(words[:, number]) for number in range(words.shape[1])]
        self._pages = array("i", pages.astype(np.int32).tobytes())

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, sketch: bytes, page: int) -> None:
        for band, word in zip(self._bands, _WORDS.unpack_from(sketch), strict=True):
            band.add(word)
        self._pages.append(page)

    def near(self, sketch: bytes) -> list[tuple[int, int]]:
        """(bits that differ so far, page) of pages whose sketch is or was close, the nearest first."""
        words = _WORDS.unpack_from(sketch)
        entries = {entry for band, word in zip(self._bands, words, strict=True) for entry in band.near(word)}
        if not entries:  # as mostly
            return []
        found: dict[int, int] = {}
        for entry in entries:
            bits = sum((band.words[entry] ^ word).bit_count() for band, word in zip(self._bands, words, strict=True))
            if bits <= ALIKE_SO_FAR:
                page = self._pages[entry]
                found[page] = min(bits, found.get(page, bits))
        return sorted((bits, page) for page, bits in found.items())


class _Band:
    """One word of each sketch, and the entry before whose word has the same low 16 bits: a chain, the latest first.
    Python integers, as one NumPy call takes as long as ten comparisons."""

    def __init__(self, words: Keys) -> None:
        low = words.astype(np.uint16)
        order = low.argsort(kind="stable").astype(np.int32)
        ordered = low[order]
        is_same = ordered[1:] == ordered[:-1]
        before = np.full(len(low), -1, dtype=np.int32)
        before[order[1:][is_same]] = order[:-1][is_same]
        latest = np.full(_PLACES if len(words) else 0, -1, dtype=np.int32)
        latest[ordered] = order  # the last of several stays
        self.words = array("Q", words.tobytes())
        self._before, self._latest = array("i", before.tobytes()), array("i", latest.tobytes())

    def add(self, word: int) -> None:
        if not self._latest:  # as in a crawl that recognises no page
            self._latest = array("i", [-1]) * _PLACES
        place = word % _PLACES
        self._before.append(self._latest[place])
        self._latest[place] = len(self.words)
        self.words.append(word)

    def near(self, word: int) -> list[int]:
        """Entries with the same low bits that may be near."""
        if not self._latest:
            return []
        words, entry, found = self.words, self._latest[word % _PLACES], []
        for _ in range(MOST_IN_BAND):
            if entry < 0:
                break
            if (words[entry] ^ word).bit_count() <= ALIKE_SO_FAR:
                found.append(entry)
            entry = self._before[entry]
        return found


SHARED = 1 / 3
DIFFERENT = 5
MOST_NAMED = 4_096
"""Canonical URLs whose claims are in memory: 6 MB at most."""
MOST_REFUTED = 4_096
"""Canonical URLs that stay refuted, the last ones: an earlier one must be refuted by DIFFERENT more pages."""


Claim = tuple[str, Fingerprint]
"""URL and content of a page that names another as canonical."""


class Canonicals:
    """Canonical URLs that pages have named. `refuted`: in the order in which they were refuted. `different`: the latest
    claims that contradict each other."""

    def __init__(self, refuted: Iterable[str]) -> None:
        """refuted: those in the store."""
        self.refuted = dict.fromkeys(refuted)
        self.different: OrderedDict[str, list[Fingerprint]] = OrderedDict()

    def add_claims(self, canonical: str, claims: Iterable[Claim], there: Fingerprint | None) -> list[int]:
        """Note pages that name `canonical`, whose fingerprint is `there` if it was read. Returns all differing pages so
        far in the call that refutes it, else none."""
        different = self.different.setdefault(canonical, [])
        self.different.move_to_end(canonical)
        if len(self.different) > MOST_NAMED:
            self.different.popitem(last=False)
        for claim in claims:
            url, content = claim
            if not differs(url, content, canonical, there) or any(content.page == other.page for other in different):
                continue
            if not any(have_same_content(content, other) for other in different):
                different.append(content)
        if len(different) < DIFFERENT:
            return []
        if len(self.refuted) >= MOST_REFUTED:
            del self.refuted[next(iter(self.refuted))]
        self.refuted[canonical] = None
        del self.different[canonical]
        return [content.page for content in different]


def differs(url: str, content: Fingerprint | None, canonical: str, there: Fingerprint | None) -> bool:
    """True if a page is under another path than its canonical URL and is known to differ from it."""
    if content is None or url.partition("?")[0] == canonical.partition("?")[0]:
        return False
    return there is None or not have_same_content(content, there)


def have_same_content(one: Fingerprint, other: Fingerprint) -> bool:
    """True if two pages have the same content, or nearly."""
    if other.digest == one.digest or other.payload == one.payload:
        return True
    return are_alike(one.sketch, other.sketch)


def are_alike(one: bytes | None, other: bytes | None) -> bool:
    """True if two pages are near-duplicates, by their sketches."""
    return one is not None and other is not None and distance(one, other) <= ALIKE


def differs_much(url: str, content: Fingerprint, canonical: str, there: Fingerprint) -> bool:
    """True if a page is under another path than its canonical URL, and both have texts with little in common."""
    if content.sketch is None or there.sketch is None or not differs(url, content, canonical, there):
        return False
    return alike(distance(content.sketch, there.sketch)) < SHARED


SAME_PAGE = {"print", "mirror"}
"""Kinds of near-duplicates that are the same page to a reader."""
_PRINT = {"print", "printable", "printer", "printview", "amp", "mobile", "m"}
_PARTS = re.compile(r"[./?&=]")


def kind_of(url: str, leader: str) -> str | None:
    """The kind of a near-duplicate, by normalised URLs; None if they tell nothing. print: one of them is for printing
    or small screens; mirror: the same path on another host; template: two pages of one folder."""
    if _is_for_print(url) != _is_for_print(leader):
        return "print"
    host, _, path = url.partition("//")[2].partition("/")
    other_host, _, other_path = leader.partition("//")[2].partition("/")
    if host != other_host:
        return "mirror" if path == other_path else None
    return "template" if path.rpartition("/")[0] == other_path.rpartition("/")[0] else None


def _is_for_print(url: str) -> bool:
    """True if a part of the host, the path or the query says so."""
    return not _PRINT.isdisjoint(_PARTS.split(url.partition("//")[2].lower()))
