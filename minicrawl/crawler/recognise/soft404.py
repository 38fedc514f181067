"""Find hosts that answer for missing pages with status 200 (docs/same-page.md, soft 404s).

When a page shares half of its text and most of its words with another page of its host that was read shortly before,
and either few words of both are left then, or both have a word that is typical of error pages, pages beside it that
cannot exist are requested (Bar-Yossef et al., Sic transit gloria telae, WWW 2004): a second one if the first is
answered by a page with status 200, a third one if answers differ much. So they are when a second page redirects to the
same target. In an audit one page is enough whose title or h1 has such a word, or 404. The common part of the answers to
probes is the origin's text for a missing page.

F     words that all answers share
V     words of an answer that the others lack, at most: suggestions, a quotation, an id
like  a page is like the answers if it has all of F, but for words of their URLs, and beyond F no more than 2 V + 4
      words, none if V is 0, and not many more numbers. Words of its own URL do not count if the answers repeat theirs.

Answers with no text, or with as little as a page that surely exists, prove nothing. Where V is not 0, F must have two
words that hardly any other page has: else F is a template and common words.

The text of a redirect is its target, without the parameters of its query that repeat the page's own path or name. A
redirect to another site, or to the page itself in another spelling or language or with another ending, is not an
answer. A target of probes is like the answers, too, and so is where it redirects to; whether it is a page of its own as
well, the links to it tell (SoftErrors).

verdict of a probe    the answers were
not-found             an error, a redirect that is not an answer, not HTML, or a page without text
open                  a page with text, or a redirect; another probe is to follow
varied                pages that have nothing in common but a template
wall                  redirects that take the page's path along, and no target says "not found": it may be a login; or
                      redirects to the only page of their folder: links carry old names of it
soft-404              pages that say "not found", or redirects
catch-all             the same, but so do nearly all pages: the host may be an application drawn in the browser

Pages read before are judged, too, and all are judged again when there is more evidence. They are stored at the end of a
run, so a killed run leaves only those of the runs before to its successor.
"""

import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from urllib.parse import unquote

from msgspec import Struct

from minicrawl.model import Fetched
from minicrawl.store.recognised import Probe, RecentPage, blob_of, numbers_of
from minicrawl.store.writer import Writer
from minicrawl.web.fingerprint import read_vocabulary, vocabulary, word_hashes, words_of_url
from minicrawl.web.http.response_fields import REDIRECTS
from minicrawl.web.urls.front import is_above
from minicrawl.web.urls.keys import authority, origin_of, site_of, without_www
from minicrawl.web.urls.normalise import normalise
from minicrawl.web.urls.spellings import simplest

MOST_PROBES = 3
"""Per origin."""
_SENT_TEXT = b"\xffsent "
"""Of it and a word for the target is the text of a redirect, of words that no page has: none has these bytes."""
_HOME = b"\xffhome"
_SENT = word_hashes(_SENT_TEXT)
_SAID = word_hashes(b"\xffsaid")
"""Joins F once a target of redirects says "not found"."""
_COUNTED = 4_096  # pages per probe that are known by number
_PAGES_PER_OTHER = 8
_FEWEST_OTHERS = 2
_SPARE_NUMBERS = 8
_MOST_VARIED = 4
_FEWEST_MARKS = 2  # one may be by chance: pages that have it are like the answers, so no other has it
_MOST_TARGETS = 16  # to which the redirects of missing pages may lead in the end
_FEW_WORDS = 32  # fewer: may be a page drawn in the browser


class NotFound:
    """An origin's answers for missing pages of a folder.

    `matched`: pages that are like the answers; `others`: pages that are not; `is_there`: a page that surely exists is
    like them; `pages_with`: how many of the `compared` have each word of the answers; `beside`: pages in the folder.
    """

    def __init__(self, row: Probe) -> None:
        self.folder, self.url, self.asked_at, self.verdict, self.status, self.digest, self.asked = row[:7]
        self.words, self.is_long = frozenset(numbers_of(row.words)), row.words is None
        self.varies, self.numbers, self.echoes, self.is_there = row[8:12]
        self.matched, self.others = set(numbers_of(row.matched)), set(numbers_of(row.others))
        self.compared, self.pages_with, self.existed = 0, Counter[int](), row.existed
        self.beside = dict[int, bool]()  # whether missing pages lead there

    def row(self) -> Probe:
        """The row for the store."""
        asked = self.folder, self.url, self.asked_at, self.verdict, self.status, self.digest, self.asked
        words = None if self.is_long else blob_of(self.words)
        found = self.varies, self.numbers, self.echoes, self.is_there
        return Probe(*asked, words, *found, blob_of(self.matched), blob_of(self.others), self.existed)

    def add(self, url: str, digest: int | None, answer: bytes) -> None:
        """Add an answer, its vocabulary, to a probe at `url`."""
        words, numbers = read_vocabulary(answer)
        own, name = words_of_url(url), word_hashes(_name(url).encode())
        self.is_long = self.is_long or not answer
        self.numbers = max(self.numbers, numbers)
        self.compared = 0
        self.pages_with.clear()
        self.url, self.asked = url, self.asked + 1
        if self.asked == 1:
            self.words, self.digest = words - name, digest
        else:
            shared = self.words & words
            self.varies = max(self.varies + len(self.words - shared - own), len(words - shared - own))
            self.words = shared
            self.digest = digest if digest == self.digest else None
        self.echoes = self.echoes or not name.isdisjoint(words)

    @property
    def is_redirect(self) -> bool:
        """True if the answers are redirects."""
        return self.words >= _SENT

    def compare(self, read: "Read", *, is_there: bool, is_target: bool) -> None:
        """Compare a page that was read. is_there: it surely exists. is_target: pages that do not are redirected to it.
        A redirect cannot tell pages from answers that are none."""
        page, url, digest, vocabulary = read.page, read.url, read.digest, read.words
        words, numbers = read_vocabulary(vocabulary)
        if is_target:
            if is_there:
                return
            is_like = True
            if words >= _SENT and len(self.words) < _MOST_TARGETS:  # it sends them on
                self.words |= words - words_of_url(url)
            elif says_not_found(f"{read.title} {_path(url)}") or not _SORRY.isdisjoint(words):
                self.words |= _SAID
        elif words >= _SENT:
            is_like = words - words_of_url(url) <= self.words
            if not is_like:
                return
        elif self.is_long:
            is_like = digest is not None and digest == self.digest
        elif not self.words:
            is_like = bool(vocabulary) and not words
        else:
            lacks, more = self.words - words - words_of_url(self.url), words - self.words
            added = more - words_of_url(url) if self.echoes else more
            is_like = not lacks and len(added) <= (2 * self.varies + 4 if self.varies else 0)
            is_like = is_like and numbers <= 2 * self.numbers + _SPARE_NUMBERS
        if is_there:
            self.is_there = self.is_there or is_like
            return
        into, out_of = (self.matched, self.others) if is_like else (self.others, self.matched)
        out_of.discard(page)
        if len(into) < _COUNTED:
            into.add(page)
        if not is_like:
            self.compared += 1
            self.pages_with.update(self.words & words)

    def judge(self) -> None:
        """Set the verdict by the evidence so far."""
        if self.verdict in ("not-found", "open"):
            return
        differ = len(self.others) >= _FEWEST_OTHERS and _PAGES_PER_OTHER * len(self.others) >= len(self.matched)
        may_be_drawn = not self.is_long and (not self.words or (self.is_there and len(self.words) < _FEW_WORDS))
        is_name = self.echoes or [*self.beside.values()] == [True]
        if self.is_redirect and is_name and not self.words >= _SAID:
            self.verdict = "wall"
        elif (self.is_long and self.digest is None) or (self.varies and not self._has_mark):
            self.verdict = "varied"
        else:
            self.verdict = "soft-404" if differ and not may_be_drawn else "catch-all"

    @property
    def varies_much(self) -> bool:
        return 4 * self.varies > len(self.words)

    @property
    def _has_mark(self) -> bool:
        """True if the answers share a word that other pages lack: else they share common words only."""
        if not self.compared:
            return self.verdict == "soft-404"
        if self.varies > _MOST_VARIED * len(self.words) or (self.varies_much and self.asked < MOST_PROBES):
            return False
        return sum(_PAGES_PER_OTHER * self.pages_with[word] <= self.compared for word in self.words) >= _FEWEST_MARKS


def _name(url: str) -> str:
    """The random part of a probe's URL."""
    return url.rstrip("/").rpartition("/")[2].partition(".")[0]


MOST_KEPT = 16 << 20
"""Bytes of pages read lately, of all origins together."""
_LATELY = 256  # pages per origin
_COMPARED = 8  # of these, the last ones, with each new page
_FAR = 120  # bits between sketches of pages that share less than half of their text: J is .25, and 1/3 at half
_FEWEST_WORDS = 2  # of a page that may say "not found"
_SAMPLE = 16  # words by which two pages are compared, the least by hash
_LITTLE = 4  # words that a page has beyond one like it and its URL: titles and short texts are longer
_BESIDES = 1_000  # bytes that a page takes beside its text
_SORRY = word_hashes(
    "sorry oops whoops unavailable nonexistent inexistent found nothing leider gefunden introuvable désolé trouvé"
    " trouvée encontrado encontrada lamentamos desculpe trovato trovata spiacenti gevonden helaas hittades tyvärr"
    " fundet beklager löytynyt znaleziono nenalezena nenalezeno található bulunamadı negăsită найден найдена найдено"
    " знайдено".encode()
)
"""Words of "not found" pages in languages of Europe; elsewhere few words must be left."""
_404 = re.compile(r"(?<!\d)404(?!\d)")
_LANGUAGE, _ENDING = re.compile(r"^[a-z]{2}(?:[-_][a-z]{2,4})?(?:/|$)"), re.compile(r"\.\w+(?=$|\?)")
_LETTERS_OF_URL = re.compile("[a-z]+", re.IGNORECASE | re.ASCII)
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


class Read(Struct, dict=True):
    """A page that was read lately. `number`: how many were read before, or more; `text`: None for one with much;
    `sketch`: its bits as a number; `stored`: the vocabulary of a page of an earlier run, without title, text and
    sketch."""

    number: int
    page: int
    url: str
    digest: int | None
    text: bytes | None
    sketch: int | None
    is_there: bool
    title: str = ""
    stored: bytes | None = None

    @classmethod
    def of(cls, row: RecentPage, url: str) -> "Read":
        return cls(row.id, row.page, url, row.digest, None, None, bool(row.is_there), stored=row.words)

    def row(self) -> RecentPage:
        """The row for the store."""
        return RecentPage(self.number, self.page, self.digest, self.words, self.is_there)

    @cached_property
    def words(self) -> bytes:
        """The vocabulary."""
        return vocabulary(self.text) if self.stored is None else self.stored

    @cached_property
    def sample(self) -> frozenset[int]:
        """Words by which two pages are compared, the least by hash."""
        return frozenset(memoryview(self.words[4 : 4 * _SAMPLE + 4]).cast("I"))

    @property
    def size(self) -> int:
        """Bytes in memory, about."""
        return _BESIDES + len(self.text or self.stored or b"")

    @property
    def is_redirect(self) -> bool:
        if self.stored is not None:
            return read_vocabulary(self.stored)[0] >= _SENT
        return self.text is not None and self.text.startswith(_SENT_TEXT)

    def may_resemble(self, other: "Read") -> bool:
        """True unless the sketches of two pages differ too much."""
        return self.sketch is None or other.sketch is None or (self.sketch ^ other.sketch).bit_count() <= _FAR


Judged = tuple[list[int], list[int]]
"""Pages read before that turn out to be soft 404s, and those that turn out to be none."""


class Soft404s:
    """The probes of all hosts, and their verdicts. secret: of the store, so that nobody can guess the probes' URLs.
    lately: rows of take_read that are not dropped, with URLs, in this order. found_on: the URL of the page that made a
    page known."""

    def __init__(
        self,
        rows: Iterable[Probe],
        secret: bytes,
        lately: Iterable[tuple[RecentPage, str]] = (),
        found_on: Callable[[int], str | None] = lambda page: None,
    ) -> None:
        self._secret, self._found_on = secret, found_on
        self._probes: dict[str, dict[str, NotFound]] = {}  # by origin and folder
        self.wanted: dict[str, str] = {}
        """By origin the URL to probe; who asks for it takes it out, and puts it back if that comes to nothing."""
        self._asked: Counter[str] = Counter()  # probes by origin, answered and wanted
        self._lately: OrderedDict[str, deque[Read]] = OrderedDict()
        self._kept = 0
        self._changed: dict[str, NotFound] = {}
        self._number = self._stored = 0  # of the page read last; of the last one in the store
        self._dropped: list[int] = []
        for row in rows:
            site = origin_of(row.folder)
            probe = self._probes.setdefault(site, {})[row.folder] = NotFound(row)
            self._asked[site] += probe.asked
            if probe.verdict == "open":
                self._want(site, probe, row.url)
        for kept, url in lately:
            self._number = self._stored = kept.id
            read = Read.of(kept, url)
            for probe in self._probes.get(origin_of(url), {}).values():
                if probe.verdict not in ("not-found", "open"):
                    self._compare(probe, read)
            self._note(read)

    def read(self, page: int, fetched: Fetched, *, is_there: bool, title: str = "", heading: str = "") -> Judged:
        """Take in a page, as from `comparable`. Returns the effects on others. is_there: it surely exists. heading:
        words by which it may say "not found", if one page is to be enough."""
        self._number += 1
        sketch = None if fetched.sketch is None else int.from_bytes(fetched.sketch)
        read = Read(self._number, page, fetched.url, fetched.digest, fetched.short_text, sketch, is_there, title)
        probes = self._probes.get(origin_of(read.url))
        judged = self._judged(probes.values() if probes else (), [read])
        says_so = bool(heading) and not is_there and says_not_found(heading)  # as never outside an audit
        self._note(read, says_so=says_so)
        return judged

    def note_answer(self, fetched: Fetched, now: float) -> Judged:
        """Take in the answer to a probe. Returns the effects on pages read before."""
        folder, site = folder_of(fetched.url), origin_of(fetched.url)
        probe = self._probes[site][folder]
        probe.asked_at, probe.status = now, fetched.status
        self._changed[folder] = probe
        answer = comparable(fetched)
        probe.existed += answer is not None
        if answer is not None and answer.digest is not None:
            probe.add(answer.url, answer.digest, vocabulary(answer.short_text))
            if probe.asked == 1 and self._may_ask(site):
                self._want(site, probe, fetched.url)
                return [], []
        else:
            probe.asked, probe.url = probe.asked + 1, fetched.url
            if probe.asked == 1:
                probe.verdict = "not-found"
        if probe.verdict == "open":
            probe.verdict = "catch-all"
        return self._judged([probe], self._lately.get(site, ()))

    def is_like(self, page: int, url: str) -> bool:
        """True if a page that was read says what its host answers for missing pages."""
        return any(not probe.is_redirect for probe in self._likened(page, url))

    def is_soft_404(self, page: int, url: str) -> bool:
        """True if a page that was read is a soft 404, or the target of such."""
        return any(probe.verdict == "soft-404" for probe in self._likened(page, url))

    def is_target(self, page: int, url: str) -> bool:
        """True if that is only as missing pages are redirected to it."""
        found = [probe for probe in self._likened(page, url) if probe.verdict == "soft-404"]
        return bool(found) and all(self._sends_to(probe, page, url) for probe in found)

    def may_be_targets(self, pages: Iterable[int], origin: str) -> set[int]:
        """Those of some pages that are like an origin's redirects: these, and their targets."""
        probes = self._probes.get(origin)
        found = [probe.matched.intersection(pages) for probe in probes.values() if probe.is_redirect] if probes else []
        return set().union(*found)

    def read_lately(self, url: str) -> list[int]:
        """The pages of a URL's origin that were read lately."""
        return [read.page for read in self._lately.get(origin_of(url), ())]

    def _sends_to(self, probe: NotFound, page: int, url: str) -> bool:
        """True if missing pages are redirected to a page, also with their own path in its query."""
        if not probe.is_redirect:
            return False
        source = self._found_on(page) if "?" in url else None
        return word_hashes(target_of(url, source or url)[0]) <= probe.words

    def _likened(self, page: int, url: str) -> list[NotFound]:
        """The probes whose answers a page is like."""
        probes = self._probes.get(origin_of(url))
        return [probe for probe in probes.values() if page in probe.matched] if probes else []

    def take_rows(self) -> list[Probe]:
        """Probes that were answered or judged again since the last call."""
        rows, self._changed = [probe.row() for probe in self._changed.values() if probe.asked], {}
        return rows

    def take_read(self) -> tuple[list[RecentPage], list[int]]:
        """Pages read since the last call that are kept, and the numbers of those before that are not any more."""
        new = [read.row() for lately in self._lately.values() for read in lately if read.number > self._stored]
        dropped, self._dropped = self._dropped, []
        self._stored = self._number
        return new, dropped

    def save(self, writer: Writer, *, is_last: bool) -> None:
        """is_last: of the run."""
        writer.put(Probe, self.take_rows())
        if is_last:
            pages, dropped = self.take_read()
            writer.add(RecentPage, pages)
            writer.remove(RecentPage, ((number,) for number in dropped))

    def _note(self, read: Read, *, says_so: bool = False) -> None:
        """Take in a page that was compared, and probe its host if it looks suspicious."""
        site = origin_of(read.url)
        probes = self._probes.get(site, {})
        if not self._likened(read.page, read.url):
            self._suspect(site, read, probes, says_so=says_so)
        self._keep(site, read)

    def _judged(self, probes: Iterable[NotFound], pages: Iterable[Read]) -> Judged:
        lost: list[int] = []
        regained: list[int] = []
        for probe in probes:
            if probe.verdict in ("not-found", "open"):
                continue
            before = set(probe.matched) if probe.verdict == "soft-404" else set()
            words, compared = None, pages
            while words != probe.words:  # what a target of redirects says, or where it leads, tells of pages before it
                words = probe.words
                for read in compared:
                    self._compare(probe, read)
                compared = self._lately.get(origin_of(probe.folder), ())
            probe.judge()
            now = probe.matched if probe.verdict == "soft-404" else set()
            lost += sorted(now - before)
            regained += sorted(before - now)
            self._changed[probe.folder] = probe
        return lost, regained

    def _compare(self, probe: NotFound, read: Read) -> None:
        is_there = read.is_there or (not read.is_redirect and is_above(read.url, probe.folder))
        is_target = self._sends_to(probe, read.page, read.url)
        if not read.is_redirect and len(probe.beside) <= 1 and probe.folder in (read.url, folder_of(read.url)):
            probe.beside[read.page] = is_target
        probe.compare(read, is_there=is_there, is_target=is_target)
        if probe.varies_much and probe.asked == MOST_PROBES - 1 and self._may_ask(origin_of(probe.folder)):
            self._want(origin_of(probe.folder), probe, probe.url)

    def _suspect(self, site: str, read: Read, probes: Mapping[str, NotFound], *, says_so: bool) -> None:
        """Want a probe beside a page that may say "not found", as does one read shortly before, or its heading."""
        if not self._may_ask(site):
            return
        if says_so and folder_of(read.url) not in probes:
            self._want_first(site, read)
            return
        lately = self._lately.get(site)
        if lately is None:
            return
        if read.is_redirect:
            before = [other for other in reversed(lately) if other.digest == read.digest]
        else:
            before = [other for other in islice(reversed(lately), _COMPARED) if read.may_resemble(other)]
        beside = [other for other in before if other.url != read.url][::-1]
        if probes and beside:
            folder = folder_of(read.url)
            if folder in probes and not (read.is_redirect and self._asked_otherwise(probes[folder], read.url)):
                return
            beside = [other for other in beside if folder_of(other.url) == folder]
        nearest = max(beside, key=lambda other: len(read.sample & other.sample), default=None)
        if nearest is not None and (read.is_redirect or _may_say_not_found(read, nearest)):
            self._want_first(site, read)

    def _asked_otherwise(self, probe: NotFound, url: str) -> bool:
        """True if a page with another ending than that of a URL was not found: it may be served by another program."""
        return probe.verdict == "not-found" and probe.url != probe_url(url, self._secret)

    def _want_first(self, site: str, read: Read) -> None:
        folder = folder_of(read.url)
        new = Probe(folder, "", 0.0, "open", None, None, 0, b"", 0, 0, False, False, b"", b"")
        probe = self._probes.setdefault(site, {})[folder] = NotFound(new)
        self._want(site, probe, read.url)

    def _may_ask(self, site: str) -> bool:
        return site not in self.wanted and self._asked[site] < MOST_PROBES

    def _want(self, site: str, probe: NotFound, url: str) -> None:
        self._asked[site] += site not in self.wanted
        self.wanted[site] = probe_url(url, self._secret, probe.asked)

    def _keep(self, site: str, read: Read) -> None:
        lately = self._lately.setdefault(site, deque())
        self._lately.move_to_end(site)
        if len(lately) == _LATELY:
            self._drop(lately.popleft())
        lately.append(read)
        self._kept += read.size
        while self._kept > MOST_KEPT:
            for dropped in self._lately.popitem(last=False)[1]:
                self._drop(dropped)

    def _drop(self, read: Read) -> None:
        self._kept -= read.size
        if read.number <= self._stored:
            self._dropped.append(read.number)


def comparable(fetched: Fetched) -> Fetched | None:
    """The answer with its content: as it is if it has a body that counts, of words for its target if it is a redirect
    that may be an answer for a missing page; None: it is neither."""
    if fetched.is_shown:
        return fetched
    if fetched.status not in REDIRECTS or not fetched.location:
        return None
    url, target = fetched.url, normalise(fetched.location, fetched.url)
    if target is None or site_of(target) != site_of(url) or is_above(url, f"{origin_of(url)}/"):
        return None
    if _without_form(target) == _without_form(url):
        return None
    word, takes_path = target_of(target, url)
    digest = int.from_bytes(word[-8:], signed=True)
    text = _SENT_TEXT + word + (b" " + _name(url).encode() if takes_path else b"")
    return fetched._replace(digest=digest, short_text=text, sketch=None)


def target_of(url: str, source: str) -> tuple[bytes, bool]:
    """A word for the target of a redirect from `source`, without the parameters that repeat this one's path or name;
    and True if it has one that repeats the path."""
    stem, mark, query = url.partition("?")
    path, name = unquote(_path(source)).lower(), _letters(_name(source))
    kept, takes_path = list[str](), False
    for part in query.split("&"):
        value = unquote(unquote(part.partition("=")[2] or part)).lower()
        if f"/{value}".endswith(path) or f"{path}?" in f"/{value}":
            takes_path = True
        elif not name or _letters(value) != name:
            kept.append(part)
    plain = simplest(f"{stem}{mark}{'&'.join(kept)}").partition("://")[2]
    if plain == f"{without_www(authority(source))}/":
        return _HOME, takes_path
    return b"\xff" + blake2b(plain.encode(), digest_size=8).hexdigest()[1:].translate(_LETTERS).encode(), takes_path


def _without_form(url: str) -> str:
    """A URL without what its simplest spelling has of a language or a type of files."""
    host, _, path = simplest(url).partition("://")[2].partition("/")
    return f"{host}/{_ENDING.sub('', _LANGUAGE.sub('', path))}"


def _path(url: str) -> str:
    return "/" + url.partition("?")[0].split("/", 3)[3]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def says_not_found(text: str) -> bool:
    """True if a title has a word by which pages say that they are not there, or 404."""
    return _404.search(text) is not None or not _SORRY.isdisjoint(word_hashes(text.lower().encode()))


def _may_say_not_found(one: Read, other: Read) -> bool:
    """True if two pages are alike in a way that pages of one template are not."""
    most = max(len(one.sample), len(other.sample))
    if not one.sample:
        are_alike = one.digest is not None and one.digest == other.digest
    else:  # half of their words or more, judged by a sample
        are_alike = most >= _FEWEST_WORDS and 2 * len(one.sample & other.sample) >= most
    if not are_alike:
        return False
    words, others = read_vocabulary(one.words)[0], read_vocabulary(other.words)[0]
    return not _SORRY.isdisjoint(words & others) or (
        _is_little(words - others, one.url) and _is_little(others - words, other.url)
    )


def _is_little(words: frozenset[int], url: str) -> bool:
    """True if these words are few, without those of the page's URL."""
    most = _LITTLE + len(_LETTERS_OF_URL.findall(url.split("/", 3)[-1]))  # its words take longer to find
    return len(words) <= _LITTLE or (len(words) <= most and len(words - words_of_url(url)) <= _LITTLE)


def folder_of(url: str) -> str:
    """The folder of a page: http://a/b/ for http://a/b/c.html and http://a/b/c/."""
    stem = url.partition("?")[0]
    head = stem[: stem.rindex("/", 0, len(stem) - 1) + 1]
    return stem if head.endswith("//") else head


def probe_url(url: str, secret: bytes, number: int = 0) -> str:
    """URL of a page beside `url` that cannot exist, always the same one for a number."""
    folder = folder_of(url)
    last = url.partition("?")[0][len(folder) :]
    ending = "/" if last.endswith("/") else last[last.rfind(".") :] if "." in last else ""
    name = blake2b(f"{folder}{number or ''}".encode(), digest_size=8, key=secret).hexdigest().translate(_LETTERS)
    return f"{folder}{name}{ending}"
