"""The judge of a host: which of its URLs need not be read, by what pages like them have said.

kind      what a page said: the first of `KINDS` that fits it, or GAIN; FILE is no page, and is not read; NUMBERS has
          the lines and the title of another page of its pattern, but for their numbers
gain      a page that said something, or led to something; one that did not, but named a new page, is one as well
key       what a URL shares with others, from fine to coarse; each key counts its pages and gains
V         up to two folders, the form of the last segment, or its name for a program, and the parameters, those of few
          values with their values, and those of few forms with their forms: topic=0.0 and topic=0.msg0; or a tail that
          has values, or with what D has where a folder is between
F         the same without values: the pattern of a URL, which users see
C, W      its parameters' names alone, anywhere on the host; its tail, for a path that is a view
D         for other paths of DEEP segments or more, the first of them, and for the others whether they are numbers; of
          the pages of a view by path that say the same as others one in COPIES: in ten languages a manual repeats
          itself, and a page of it that was read in none may be news
P         each parameter's name, and each of its values if these are few, once two patterns have it
program   a last segment with many values of a parameter: /file?name=rose.c and /history?name=rose.c; or one that has
          many numbers behind its word: /issue12, /message512; a folder with more than PROGRAMS of them has values
value     a folder of one that has more than FEW folders: Rose of /wiki/Rose/history
view      a URL with a query, with a word in its path that stands below MANY folders: /{n}/reviews/add/, or with a
          number behind a value: /wiki/Rose/3
ahead     a redirect to a page like it that was not read: that page says what there is, so the redirect is not counted
gate      where redirects lead with their own URL to come back to: /login?next=/member/7; open if pages stand behind it
tail      the path of a view from that word on, or from the folder of the value; in F with * for values

The prospect of a URL, the share of gains to be expected, is worked out from coarse to fine: it begins with a half, or
the least of the P keys, and each key with n pages and g gains moves it,

    p = (g + s p) / (n + s)

s: SLOW for plain paths, where a few poor pages prove little, and QUICK for views.

No clock, no draw: the same answers in the same order lead to the same verdicts.
"""

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from minicrawl.web.urls.shapes import Shape, differs_by_a_number, is_number, leads_back, shape_of, word_of

Group = tuple[str, str]
GAIN, COPY, FILE, NUMBERS = "gain", "copy", "file", "numbers"
SAID_OF_ITSELF = ("noindex", "canonical", "redirect", "error")
"""Kinds that the server says itself: all others are only our opinion."""
STANDS_BACK = ("noindex", "canonical")
"""Of these, those by which a page is there, but not for robots."""
REPEATS = ("same", "same-list", "near")
"""Kinds of pages that say what another says: their new links are made of their own URL, as ?next=."""
KINDS = ("error", "redirect", "noindex", "canonical", "same", "same-list", "near", COPY, FILE, NUMBERS, "nothing", GAIN)

FEW = 16
"""Values up to which a parameter has few."""
PROGRAMS = MOST = 64
"""Programs of a folder, and words right below numbers, from which on they are values."""
DEEP = 3
MANY = 6
"""Folders below which the word of a view stands."""
HALF = 64
"""Pages at which a key forgets half of what it has counted."""
NOW, RISEN, LEAST = 1 / 4, 1 / 8, 1 / 20
"""Prospects from which a URL is read at once; if its pattern had two gains; as a sample."""
SLOW, QUICK = 8, 2
COPIES, DULL, FILES = 3, 5, 32
"""Copies of pages under other paths that count as one gain; pages that repeat others but lead on, or that are views and
copies, or say something without a new title, half of their words, or a new link, and files; and files that are a page
in another format: with a parameter, or below it. Pages of numbers count as files if they make no URL like them known:
each day of an endless calendar leads to the next."""
SAMPLES, SAMPLES_OF_COPIES, SAMPLES_OF_MANY, MANY_WAIT = 2, 4, 12, 64
"""Pages read of every pattern; of one whose pages repeat others, so that it may turn out which parameter changes
nothing; of one that only we think poor, of which MANY_WAIT wait."""
COARSE, POOR = 12, 0.06
"""Pages after which a coarse key whose share of gains is below POOR speaks for patterns of which none was read."""
BARREN, GAINS_PER_BARREN = 8, 20
"""Pages without gain that are read as samples: so many, and one more for so many gains of the host."""
DRY, GAINS_PER_DRY = 12, 16
"""Pages without gain in a row after which pagers of a pattern are read no more; one more for so many gains of the host,
unless as many of all patterns with the same parameter had none."""
MOSTLY = 3 / 4
"""Share of pages that repeat others from which on a number is that of no next page."""
IN_VAIN, RARE = 6, 1 / 10
"""Pages of which fewer than one in ten said anything itself, after which a link to one more like them is nothing."""
ONE_PAGE, OPEN = 3, 2
"""Pages that repeat one of their pattern, of which no other said anything, after which it is one page; gates that led
to pages that said something, after which others may: the first one leads to what all lead to."""
KNOWN_TITLES = 3
"""Pages of a pattern with titles of others, from which on its lines are looked at."""
FEW_PLAIN = 3
"""Plain pages from which on a host may say noindex on nearly all."""
_WORDS_KEPT, _KEYS_KEPT = 2_048, 256
_NUMBER = re.compile(r"\d+")
_NUMBERED = ("/{n}", "/{n}/")
"""How the patterns end of views by a number."""
_NUMBER_WORD, _BELOW_NUMBERS = "0", "0//"
"""A number as a word; and what is seen right below numbers, the last segment as well."""
_PROGRAMS_IN = "/?"
"""Behind a folder, the name of what is seen of its programs."""
_TAILS = ("W", "V /…/", "F /…/")
"""How the keys of tails begin."""


class Answer(NamedTuple):
    """What a page said. kind: see above. new: URLs that its links made known. is_full: it has a title that no page of
    its host had, or half of its words stand in lines that none had. of: the URL that it repeats; of a file, that of the
    page that it may be in another format. is_ahead: see above."""

    url: str
    kind: str
    new: Iterable[str] = ()
    is_full: bool = False
    of: str | None = None
    is_ahead: bool = False


class Count(Struct):
    """Pages that were read of a key: `n` of them with `gains`, both halved now and then; `read` in all; by kind;
    `example`: the first of them. `dry`: pages since the last gain, copies too; `called`: samples. Of all pages of
    a host, `dry` counts those without a gain since samples began again."""

    n: float = 0.0
    gains: float = 0.0
    read: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    example: str = ""
    dry: int = 0
    called: int = 0

    def add(self, answer: Answer, gain: float) -> None:
        self.n += 1
        self.gains += gain
        self.read += 1
        is_copy_alone = answer.kind == COPY and gain < 1
        self.dry = 0 if gain and not is_copy_alone else self.dry + 1
        self.kinds[answer.kind] += 1
        self.example = self.example or answer.url
        if self.n >= HALF:
            self.n /= 2
            self.gains /= 2

    def take(self, other: "Count") -> None:
        """Add the counts of another key to these."""
        self.n, self.gains, self.read = self.n + other.n, self.gains + other.gains, self.read + other.read
        self.kinds += other.kinds
        self.example = self.example or other.example

    @property
    def repeats(self) -> int:
        """Pages that say what others say."""
        return sum(self.kinds[kind] for kind in REPEATS)

    @property
    def mostly_repeats(self) -> bool:
        """True if enough pages show that most say what others say."""
        return self.read >= COARSE and self.repeats >= MOSTLY * self.read

    @property
    def said(self) -> int:
        """Pages that said something, if only other numbers, and files."""
        return self.kinds[GAIN] + self.kinds[FILE] + self.kinds[NUMBERS]

    @property
    def is_one_page(self) -> bool:
        """True if all pages but the first repeat that, as a form to log in does."""
        return self.kinds["of its pattern"] >= ONE_PAGE and self.kinds[GAIN] < 2

    @property
    def is_shut(self) -> bool:
        """True for a gate that is one page and is not open, and for pages that are all redirects, and lead to one."""
        is_gate = self.kinds["gate"] > 0 and self.is_one_page and self.kinds["open"] < OPEN
        return is_gate or (self.kinds["redirect"] == self.read and self.kinds["gated"] >= ONE_PAGE)

    @property
    def is_poor(self) -> bool:
        """True if enough pages show that there is next to nothing to gain."""
        return self.n >= COARSE and self.gains < POOR * self.n

    @property
    def is_poor_by_itself(self) -> bool:
        """True if the server itself said of a page that it is none."""
        return any(self.kinds[kind] for kind in SAID_OF_ITSELF)


class Keys(NamedTuple):
    """The keys of a URL. fine: from fine to coarse; pattern: the F key; loose: the P keys."""

    fine: tuple[str, ...]
    pattern: str
    loose: tuple[str, ...]

    @property
    def is_view(self) -> bool:
        return "?" in self.pattern or self.pattern.startswith("F /…/")

    @property
    def is_tail(self) -> bool:
        """True for a view by its path."""
        return "?" not in self.pattern and self.pattern.startswith("F /…/")

    @property
    def has_word(self) -> bool:
        """True for a view by its path that has a word that stands below many folders."""
        return self.is_tail and not self.pattern.endswith(_NUMBERED)

    @property
    def paging(self) -> str:
        """The key by which pages of lists are counted."""
        return self.pattern if self.is_view else self.fine[-1]


class Judge:
    """What was learned of one host.

    `counts`: by key; `seen`, until there are enough: hashes of the values of a parameter, as ?name, and of their forms,
    as ?name~; of its values behind a segment, as /folder/segment?name; of the segments that have numbers behind a word,
    as /folder/word{n}; of the programs in a folder, as /folder/?; of the folders above a word; and of the folders in
    one, as name/. `changed`, `changed_words`: since they were cleared.
    """

    def __init__(self, counts: Mapping[str, Count] = {}, seen: Mapping[str, set[int]] = {}) -> None:
        self.counts: defaultdict[str, Count] = defaultdict(Count, counts)
        self.seen: dict[str, set[int]] = dict(seen)
        self.is_anew = False
        self.has_parameters = any(word[0] == "?" for word in self.seen)
        self.changed: set[str] = set()
        self.changed_words: set[str] = set()
        self._keys: dict[str, Keys] = {}  # of URLs requested lately

    @property
    def gains(self) -> int:
        """Pages of the host with a gain."""
        return int(self.counts["*"].gains)

    @property
    def barren(self) -> int:
        """Pages of the host without one, since samples began again."""
        return self.counts["*"].dry

    # URLs.

    def note_url(self, url: str) -> None:
        """Take in a URL that became known."""
        shape = self._shape(url)
        segments = shape.segments
        for name, value in shape.parameters:
            self.has_parameters = True
            self._see(f"?{name}", value, FEW + 1)
            self._see(f"?{name}~", word_of(value), FEW + 1, telling=2)
        if segments and not self._has_values(shape):
            self._note_program(shape)
        is_folder = bool(shape.parameters) or shape.form.endswith("/")  # the last segment as well
        for at in range(1, len(segments)):
            folder = word_of(segments[at - 1])
            self._see(word_of(segments[at]), "/".join(segments[:at]), (MOST if folder == _NUMBER_WORD else FEW) + 1)
            if is_folder or at + 1 < len(segments):
                self._see(f"{folder}/", segments[at], FEW + 1)
            if folder == _NUMBER_WORD:
                self._see(_BELOW_NUMBERS, segments[at], MOST + 1)

    def _note_program(self, shape: Shape) -> None:
        last = shape.segments[-1]
        seen = [(f"{shape.folder}/{last}?{name}", value) for name, value in shape.parameters]
        if _NUMBER.search(last) and not shape.form.startswith("{n}"):
            seen.append((f"{shape.folder}/{_numbered(last)}", last))
        for program, value in seen:
            self._see(program, value, FEW + 1)
            if self._has_many(program):
                self._see(f"{shape.folder}{_PROGRAMS_IN}", program.partition("?")[0], PROGRAMS + 1)

    def _has_values(self, shape: Shape) -> bool:
        """True if the folder of a URL has more programs than a site has: they are values."""
        return len(self.seen.get(f"{shape.folder}{_PROGRAMS_IN}", ())) > PROGRAMS

    def _see(self, word: str, value: str, enough: int, telling: int = MANY) -> None:
        seen = self.seen.get(word)
        if seen is None:
            if len(self.seen) >= _WORDS_KEPT and not self._make_room():
                return
            seen = self.seen[word] = set()
        if len(seen) < enough and (hashed := zlib.crc32(value.encode())) not in seen:
            seen.add(hashed)
            if len(seen) > 1 or telling == 2:  # else most words are seen once
                self.changed_words.add(word)
            if len(seen) >= min(enough, telling):  # it may change which keys URLs have
                self._keys.clear()

    def _make_room(self) -> bool:
        """Forget programs that may be none, and words that stand below one folder, as most do, or below few. False if
        there is no room even then."""
        needed = {"?": 1, "/": FEW + 1}  # of a parameter, and of a program
        for fewest in (1, 2, MANY):
            self.seen = {word: seen for word, seen in self.seen.items() if len(seen) >= needed.get(word[0], fewest)}
            if 2 * len(self.seen) < _WORDS_KEPT:
                return True
        return False

    def has_few(self, name: str) -> bool:
        """True if a parameter has few values."""
        return not self._has_many(f"?{name}")

    def _has_many(self, word: str) -> bool:
        return len(self.seen.get(word, ())) > FEW

    def tail(self, shape: Shape) -> tuple[str, str]:
        """The tail of a path that is a view, and the same with * for values; empty for any other."""
        words = list(map(word_of, shape.segments))
        slash = "/" if shape.path.endswith("/") else ""
        for at in range(1, len(words)):
            above, is_number_above = len(self.seen.get(words[at], ())), words[at - 1] == _NUMBER_WORD
            beside = len(self.seen.get(_BELOW_NUMBERS if is_number_above else f"{words[at - 1]}/", ()))
            is_view = above >= MANY and (above > beside or above > (MOST if is_number_above else FEW))
            if is_view and any(map(str.isalpha, words[at])):
                shown = [word if each == at else self._shown(words, each) for each, word in enumerate(words)][at:]
                return "/".join(words[at:]) + slash, "/".join(shown) + slash
        if len(words) > 2 and is_number(shape.segments[-1]) and self._shown(words, len(words) - 2) == "*":
            return f"{words[-3]}/{words[-2]}/{{n}}{slash}", f"{words[-3]}/*/{{n}}{slash}"
        return "", ""

    def _shown(self, words: Sequence[str], at: int) -> str:
        """A word of a path, or * for a value; numbers are none."""
        has_letters = any(map(str.isalpha, words[at]))
        return "*" if has_letters and self._has_many(f"{words[at - 1]}/") else words[at]

    def is_view(self, url: str) -> bool:
        return self.keys(url).is_view

    def keys(self, url: str) -> Keys:
        keys = self._keys.get(url)
        if keys is None:
            if len(self._keys) > _KEYS_KEPT:
                self._keys.clear()
            keys = self._keys[url] = self._found_keys(self._shape(url))
        return keys

    def _shape(self, url: str) -> Shape:
        """The shape of a URL. Its parameters may stand between semicolons, if the first one has many values else."""
        shape = shape_of(url)
        if ";" in url and any(";" in value and self._has_many(f"?{name}") for name, value in shape.parameters):
            return shape_of(url.replace(";", "&"))
        return shape

    def _found_keys(self, shape: Shape) -> Keys:
        whole, tail = self.tail(shape)
        itself = self._place(shape)
        place = f"/…/{tail}" if tail else itself
        if not shape.parameters:
            pattern = f"F {place}"
            fine = (pattern,) if whole == tail else (f"V /…/{whole}", pattern)
            if len(shape.segments) < DEEP:
                return Keys(fine, pattern, ())
            deep, is_below = _deep(shape), tail and tail.strip("/").count("/") + 2 < len(shape.segments)
            return Keys((*((f"V {deep} {tail}",) if is_below else ()), *fine, f"D {deep}"), pattern, ())
        names = "&".join(shape.names)
        pattern = f"F {place}?{names}"
        valued = sorted({self._valued(name, value) for name, value in shape.parameters})
        own = (f"V {itself}?{'&'.join(valued)}",) if valued != list(shape.names) else ()
        coarse = (f"C {names}", f"W {tail}") if tail else (f"C {names}",)
        loose = [f"P {name}" for name in shape.names]
        loose += [f"P {name}={value}" for name, value in shape.parameters if self.has_few(name)]
        return Keys((*own, pattern, *coarse), pattern, tuple(loose))

    def _valued(self, name: str, value: str) -> str:
        """A parameter with its value, if it has few, or with the form of its value, if there are few forms."""
        if self.has_few(name):
            return f"{name}={value}"
        forms = len(self.seen.get(f"?{name}~", ()))
        return f"{name}={word_of(value)}" if 1 < forms <= FEW else name

    def _place(self, shape: Shape) -> str:
        """The place of a URL, with the name of a program."""
        if not shape.segments or self._has_values(shape):
            return shape.place
        last = shape.segments[-1]
        numbered = f"{shape.folder}/{_numbered(last)}" if _NUMBER.search(last) else ""
        if not self._has_many(numbered):
            program = f"{shape.folder}/{last}"
            return program if any(self._has_many(f"{program}?{name}") for name in shape.names) else shape.place
        return f"{numbered}/" if shape.form.endswith("/") else numbered

    def pattern(self, url: str) -> str:
        return self.keys(url).pattern

    def prospect(self, url: str) -> float:
        """The share of gains to be expected of a URL."""
        keys = self.keys(url)
        is_view = keys.is_view
        loose = [self.counts[key] for key in keys.loose if key in self.counts and len(self.seen.get(key, ())) > 1]
        prospect = min((0.5, *((count.gains + 1) / (count.n + 2) for count in loose)))
        for key in reversed(keys.fine):
            count = self.counts.get(key)
            if count is not None:
                is_copied = is_view and key.startswith(_TAILS) and 2 * count.kinds["same"] > count.read
                pace = QUICK if is_view and not is_copied else SLOW
                prospect = (count.gains + pace * prospect) / (count.n + pace)
        own = self.counts.get(keys.pattern)
        if own is not None and own.is_shut:
            return 0.0
        if own is not None and own.dry >= DRY and own.kinds["redirect"] == own.read:
            return min(prospect, LEAST)  # /post/512 led to its topic, again and again
        return prospect

    def reads_now(self, url: str, source: Callable[[], str | None]) -> bool:
        """True if a URL is read before those that need not be. source: the URL of the page with the link, asked for
        where it matters."""
        return self.prospect(url) >= NOW or self._is_next_page(url, linker := source()) or self._may_open(url, linker)

    def _may_open(self, url: str, source: str | None) -> bool:
        """True if one of the first pages of a gate links to a URL which does not say, as that, where to return to."""
        if source is None or not (_is_of_host(source, url) and self.is_gate(source)) or leads_back(url, source):
            return False
        is_early = self.counts[self.pattern(source)].read <= IN_VAIN
        return is_early and {*shape_of(url).parameters}.isdisjoint(shape_of(source).parameters)

    def _is_next_page(self, url: str, source: str | None) -> bool:
        """True if a URL is the next page of its source, as long as such pages say something: not if it is ?page=1, and
        all pages with this value repeat others; nor if it is ?post=7, which mostly is the topic that was read."""
        if source is None or not _is_of_host(source, url) or not differs_by_a_number(url, source):
            return False
        exact = self.counts.get(self.keys(url).fine[0])
        if exact is not None and exact.repeats >= ONE_PAGE and 2 * exact.repeats > exact.read and not exact.said:
            return False
        most = DRY + self.gains // GAINS_PER_DRY
        changed = {*shape_of(url).parameters} - {*shape_of(source).parameters}
        if any(self._chooses_nothing(name, value) for name, value in changed):
            return False
        if any(self._count(f"P {name}").dry >= most for name, _ in changed):
            most = DRY
        return self._count(self.keys(url).paging).dry < most

    def _chooses_nothing(self, name: str, value: str) -> bool:
        """True if pages with a parameter, or with this value of few, were read that mostly repeat others."""
        return self._count(f"P {name}={value}" if self.has_few(name) else f"P {name}").mostly_repeats

    def _count(self, key: str) -> Count:
        return self.counts.get(key) or Count()

    # Answers.

    def begin(self, *, is_anew: bool) -> None:
        """Begin a run, in which other URLs may wait of each pattern. is_anew: the last one has ended."""
        self.changed.update(key for key in self.counts if key[0] == "F")
        if is_anew:
            self.begin_anew()

    def begin_anew(self) -> None:
        """Read samples of poor patterns again: the site may have changed since the last run ended."""
        self.is_anew = True
        for count in self.counts.values():
            count.dry = count.called = 0

    def learn(self, answer: Answer) -> float:
        """Take in an answer; returns what it counts as: 1 for a gain, less for a dull one, 0 for none."""
        keys = self.keys(answer.url)
        if answer.is_ahead:
            for key in ("*", keys.pattern):
                self.counts[key].kinds["ahead"] += 1
                self.changed.add(key)
            return 0.0
        is_fruitful = answer.kind != "error" and self._is_fruitful(answer, keys)
        gain = float(answer.kind in (GAIN, COPY, FILE) or is_fruitful)
        if answer.kind == NUMBERS and not is_fruitful:
            gain = 0.0 if any(self.leads_to_like(answer.url, url) for url in answer.new) else 1 / DULL
        elif answer.kind == COPY and not is_fruitful:
            gain /= DULL if keys.is_view else COPIES
        elif answer.kind == FILE:
            gain /= DULL if answer.of is None else FILES
        elif answer.kind in REPEATS or (keys.is_view and not answer.is_full and not is_fruitful):
            gain /= DULL
        is_again = keys.is_tail and answer.kind == "same" and self.counts[keys.pattern].kinds["same"] % COPIES > 0
        for key in dict.fromkeys((*keys.fine, *keys.loose)):
            if not (is_again and key.startswith("D")):
                self.counts[key].add(answer, gain)
                self.changed.add(key)
        if answer.kind in REPEATS and answer.of is not None and self.pattern(answer.of) == keys.pattern:
            self.counts[keys.pattern].kinds["of its pattern"] += 1
        if answer.kind == "redirect" and answer.of is not None:
            self._note_gate(answer.url, answer.of)
        for loose in keys.loose:
            self._see(loose, keys.pattern, 2)
        whole = self.counts["*"]
        whole.read += 1
        whole.gains += bool(gain)
        whole.dry += not gain
        self.changed.add("*")
        return gain

    def leads_to_like(self, url: str, target: str) -> bool:
        """True if a link or a redirect leads to another URL of the same pattern of the host."""
        is_alike = _is_of_host(target, url) and self.pattern(target) == self.pattern(url)
        return is_alike and not leads_back(target, url)

    def _note_gate(self, url: str, target: str) -> None:
        """Note a redirect that leads to a page with its own URL as the one to come back to."""
        if leads_back(target, url) and _is_of_host(target, url):
            pattern = self.pattern(target)
            self.counts[pattern].kinds["gate"] += 1
            self.counts["*"].kinds["gate"] += 1
            self.changed.add(pattern)
            if self.counts[pattern].is_shut:
                self.counts[self.pattern(url)].kinds["gated"] += 1

    def is_gate(self, url: str) -> bool:
        return self._count(self.pattern(url)).kinds["gate"] > 0

    def open_gates(self, way: Sequence[str]) -> None:
        """Take in that a page said something to which gates and redirects alone led: all on this way count as gains,
        once a gate like these has led to another."""
        gates = {self.pattern(url) for url in way if self.is_gate(url)}
        for gate in gates:
            self.counts[gate].kinds["open"] += 1
            if self.counts[gate].kinds["open"] == OPEN:
                self.changed.update(key for key, count in self.counts.items() if count.kinds.pop("gated", 0))
        is_open = any(self.counts[gate].kinds["open"] >= OPEN for gate in gates)
        for keys in map(self.keys, way if is_open else ()):
            for key in {*keys.fine, *keys.loose} & self.counts.keys():
                count = self.counts[key]
                count.gains, count.dry = min(count.gains + 1, count.n), 0
                gates.add(key)
        self.changed |= gates

    def forget_parameter(self, name: str) -> None:
        """Count pages with a parameter that changes nothing as those of the URLs without it, which are read instead."""
        for key, count in list(self.counts.items()):
            stem, mark, names = key.partition(" " if key[0] == "C" else "?")
            kept = [each for each in names.split("&") if each.partition("=")[0] != name]
            if mark and kept and len(kept) < len(names.split("&")):
                plain = stem + mark + "&".join(kept)
                self.counts[plain].take(count)
                self.counts[key] = Count()
                self.changed |= {plain, key}

    @property
    def is_new(self) -> bool:
        """True if no page of the host was read."""
        return not self.counts["*"].read

    def note_known_title(self, url: str) -> None:
        """Note that a page has a title that another page of its host had."""
        self.counts[self.pattern(url)].kinds["known title"] += 1

    def needs_lines(self, url: str) -> bool:
        """True if it matters which lines a page has: it may say nothing new under a known title, or other URLs of the
        host may say again what it says."""
        count = self._count(self.pattern(url))
        return self.has_parameters or self.is_view(url) or count.kinds["known title"] >= KNOWN_TITLES

    def keeps_out(self, index: bool, follow: bool, *, is_view: bool, is_home: bool) -> bool:
        """True if what a page says to robots means that it is none for readers: noindex, with nofollow or on a view.
        It means nothing if the front page says so as well, or more than two thirds of the plain pages."""
        kinds = self.counts["*"].kinds
        if is_home and not index:
            kinds["noindex front"] = 1
        if not is_view:
            kinds["plain"] += 1
            kinds["noindex plain"] += not index
        if index or not (is_view or not follow) or kinds["noindex front"]:
            return False
        return kinds["plain"] < FEW_PLAIN or 3 * kinds["noindex plain"] <= 2 * kinds["plain"]

    def _is_fruitful(self, answer: Answer, keys: Keys) -> bool:
        """True if a page made a URL known with another pattern, and another path or by a redirect, that may say
        something: it has no query and is read now, or pages of its pattern have said something; and like ones were not
        read in vain. Views by path lead to no others, as a history to versions, but for those in their own folder, or
        by a redirect. URLs that lead back, or carry on the values by which the page was chosen, are views of itself."""
        path, origin = shape_of(answer.url).path, answer.url[: answer.url.index("/", 8) + 1]
        is_tail = keys.is_tail and answer.kind not in ("redirect", "canonical")
        carried = {each for each in shape_of(answer.url).parameters if not self.has_few(each[0])}
        is_redirect = answer.kind == "redirect"
        for url in answer.new:
            shape = shape_of(url)
            if leads_back(url, answer.url) or (carried and carried.issubset(shape.parameters)):
                continue  # a form to log in, or one more view of the same
            if not url.startswith(origin):
                if not shape.parameters:
                    return True
            elif answer.kind == "canonical" and not shape.parameters:
                return True  # it may be linked nowhere
            elif (is_redirect or shape.path != path) and (other := self.keys(url)).pattern != keys.pattern:
                if is_tail and other.is_tail and not (path.endswith("/") and shape.path.startswith(path)):
                    continue
                count, prospect = self.counts.get(other.pattern), self.prospect(url)
                may_say = not shape.parameters or (count is not None and count.kinds[GAIN] > 0)
                would_be_read = prospect >= NOW or (not is_redirect and self._has_risen(prospect, url))
                if may_say and would_be_read and not self._is_in_vain(other):
                    return True
        return False

    def _is_in_vain(self, keys: Keys) -> bool:
        """True if enough pages of a pattern, or else of its coarse key, were read, and nearly none said anything
        itself; or if it is one page."""
        own = self.counts.get(keys.pattern)
        if own is not None and own.is_one_page:
            return True
        counts = (self.counts.get(key) for key in (keys.pattern, keys.fine[-1]))
        enough = next((count for count in counts if count is not None and count.read >= IN_VAIN), None)
        if enough is None:
            return False
        if enough.kinds["redirect"] == enough.read:  # they said what they led to
            return enough.gains < RARE * enough.n
        return enough.kinds[GAIN] < RARE * enough.read

    # What waits.

    def choose(self, waiting: Iterable["Waiting"]) -> tuple[list[Group], bool]:
        """The groups of which URLs are read next, when no other page of the host waits: all that have risen, or one of
        which one URL is a sample; and whether they have risen. None: there is nothing to read among these."""
        prospects = [(self.prospect(some.url), some) for some in waiting]
        risen = [some.group for prospect, some in prospects if self._has_risen(prospect, some.url)]
        if risen:
            return risen, True
        samples = list(self._samples(prospects))
        if not samples:
            return [], False
        _, _, sample = max(samples, key=lambda each: each[:2])
        keys = self.keys(sample.url)
        for key in {keys.pattern, keys.fine[-1]}:
            self.counts[key].called += 1
            self.changed.add(key)
        return [sample.group], False

    def _has_risen(self, prospect: float, url: str) -> bool:
        if prospect >= NOW:
            return True
        keys = self.keys(url)
        count, coarse = self._count(keys.pattern), self._count(keys.fine[-1])
        may_rise = prospect >= RISEN and count.said >= 2
        return may_rise and count.dry < (DRY if coarse.is_poor else DRY * NOW / prospect)  # rare gains are far apart

    def _samples(self, prospects: Iterable[tuple[float, "Waiting"]]) -> Iterator[tuple[bool, float, "Waiting"]]:
        may_be_barren = self.barren < BARREN + self.gains / GAINS_PER_BARREN
        for prospect, some in prospects:
            is_owed = (prospect >= LEAST or self.is_anew) and self._owes(some)
            if is_owed or (may_be_barren and prospect >= POOR):
                yield is_owed, prospect, some

    def _owes(self, waiting: "Waiting") -> bool:
        """True if more pages of a pattern must be read. Of one of which many wait, some are samples by hash: those that
        were read in the order of their links may be the only ones that say nothing."""
        keys = self.keys(waiting.url)
        count, coarse = self._count(keys.pattern), self._count(keys.fine[-1])
        is_deep = keys.fine[-1].startswith("D")
        if is_deep and coarse.is_poor and count.read < COARSE:  # each topic of a forum may be a pattern
            return coarse.called < SAMPLES_OF_MANY
        if self.is_anew and not count.called:
            return True
        if not keys.is_view and count.called < SAMPLES and not any(count.kinds[kind] for kind in STANDS_BACK):
            return True  # a few plain pages prove little
        if coarse.is_poor and not is_deep:
            return False
        if waiting.number >= MANY_WAIT and not count.is_poor_by_itself:
            return count.read < SAMPLES_OF_MANY or count.called < SAMPLES_OF_COPIES
        is_copied = (count.kinds["same"] or count.kinds["same-list"]) and not coarse.mostly_repeats
        return count.read < (SAMPLES_OF_COPIES if is_copied else SAMPLES)


def _is_of_host(url: str, other: str) -> bool:
    return url.startswith(other[: other.index("/", 8) + 1])


def _deep(shape: Shape) -> str:
    """The first segment of a path of DEEP or more, and whether the others are numbers."""
    between = "/".join("{n}" if is_number(each) else "*" for each in shape.segments[1:-1][:DEEP])
    return f"/{shape.segments[0]}/{between}/{shape.form}"


def _numbered(segment: str) -> str:
    """A segment with {n} for each number."""
    return _NUMBER.sub("{n}", segment)


class Waiting(NamedTuple):
    """URLs that need not be read. group: their pattern and their finest key, as these were when they began to wait;
    url: the first of them by hash, which has the prospect of all; number: of the URLs of their pattern."""

    group: Group
    url: str
    number: int
