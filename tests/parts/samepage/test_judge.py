"""The judge of URLs says what its formula says, worked out from all answers anew."""

import itertools
import random
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from minicrawl.parts.samepage.judge import (
    COARSE,
    COPIES,
    COPY,
    DRY,
    DULL,
    FEW,
    FILE,
    FILES,
    GAIN,
    HALF,
    IN_VAIN,
    KINDS,
    LEAST,
    MANY,
    MOST,
    NOW,
    NUMBERS,
    ONE_PAGE,
    OPEN,
    POOR,
    QUICK,
    RARE,
    RISEN,
    SLOW,
    Answer,
    Judge,
)
from minicrawl.web.urls.shapes import shape_of, word_of

HOST = "http://a.test"


class SlowJudge:
    """All that was known and answered, looked through at every question."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self.answers: list[tuple[list[str], str, str, float]] = []
        """Keys of a page, its pattern, its kind, and what it counts as."""
        self.repeated: list[str] = []
        """Patterns of pages that repeated one of their pattern."""
        self.led: list[tuple[str, str, bool]] = []
        """Patterns of redirects that are to be come back to, of their targets, and whether these are shut."""
        self.opened: list[str] = []  # patterns of gates that led to pages that said something

    def keys(self, url: str) -> tuple[list[str], str, list[str]]:
        """From fine to coarse; the pattern; and each parameter with its values, if these are few."""
        shape, parameters = shape_of(url), parse_qsl(urlsplit(url).query, keep_blank_values=True)
        whole, tail = self._tail(url)
        place = f"/…/{tail}" if tail else self._place(url)
        if not parameters:
            pattern = f"F {place}"
            fine = [pattern] if whole == tail else [f"V /…/{whole}", pattern]
            segments = [segment for segment in urlsplit(url).path.split("/") if segment]
            if len(segments) < 3:
                return fine, pattern, []
            between = "/".join("{n}" if segment.isdecimal() else "*" for segment in segments[1:-1][:3])
            deep = f"/{segments[0]}/{between}/{shape.form}"
            is_below = tail and tail.removesuffix("/").count("/") + 2 < len(segments)
            return [*([f"V {deep} {tail}"] if is_below else []), *fine, f"D {deep}"], pattern, []
        names = "&".join(sorted({name for name, _ in parameters}))
        few = {name for name, _ in parameters if len(self._values(name)) <= FEW}
        formed = {name for name, _ in parameters if 1 < len(set(map(word_of, self._values(name)))) <= FEW} - few
        chosen = {
            f"{name}={value if name in few else word_of(value)}" for name, value in parameters if name in few | formed
        }
        valued = "&".join(sorted(chosen | {name for name, _ in parameters if name not in few | formed}))
        fine = [f"V {self._place(url)}?{valued}"] if chosen else []
        fine += [f"F {place}?{names}", f"C {names}"] + ([f"W {tail}"] if tail else [])
        loose = [f"P {name}" for name in sorted({name for name, _ in parameters})]
        loose += [f"P {name}={value}" for name, value in parameters if name in few]
        return fine, f"F {place}?{names}", loose

    def _values(self, name: str) -> set[str]:
        queries = (parse_qsl(urlsplit(url).query, keep_blank_values=True) for url in self.known)
        return {value for query in queries for other, value in query if other == name}

    def _place(self, url: str) -> str:
        shape, values = shape_of(url), set()
        for other in self.known:
            is_of_folder = shape_of(other).folder == shape.folder
            if shape.segments and is_of_folder and shape_of(other).segments[-1:] == shape.segments[-1:]:
                values.update(parse_qsl(urlsplit(other).query, keep_blank_values=True))
        last, form = "".join(shape.segments[-1:]), shape.form
        alike = {other for other in map(shape_of, self.known) if other.folder == shape.folder and other.segments}
        if not form.startswith("{n}") and re.search("[0-9]", last):
            named = re.sub("[0-9]+", "{n}", last)
            if len({each.segments[-1] for each in alike if re.sub("[0-9]+", "{n}", each.segments[-1]) == named}) > FEW:
                return f"{shape.folder}/{named}" + "/" * form.endswith("/")
        many = [name for name in shape.names if sum(name == other for other, _ in values) > FEW]
        return f"{shape.folder}/{last if many else form}"

    def _folders(self, word: str) -> set[tuple[str, ...]]:
        return {
            segments[:at]
            for segments in (shape_of(url).segments for url in self.known)
            for at in range(1, len(segments))
            if word_of(segments[at]) == word
        }

    def _below(self, word: str) -> set[str]:
        """Folders below a word; the last segment of a URL is one if it has a query, or a slash at its end."""
        return {
            segments[at + 1]
            for url in self.known
            for segments in [shape_of(url).segments]
            for at in range(len(segments) - (1 if "?" in url or url.endswith("/") else 2))
            if word_of(segments[at]) == word
        }

    def _right_below_numbers(self) -> set[str]:
        pairs = (pair for url in self.known for pair in itertools.pairwise(shape_of(url).segments))
        return {word for above, word in pairs if word_of(above) == "0"}

    def _is_value(self, above: str, word: str) -> bool:
        return any(map(str.isalpha, word)) and len(self._below(above)) > FEW

    def _tail(self, url: str) -> tuple[str, str]:
        words = [word_of(segment) for segment in shape_of(url).segments]
        shown = words[:1] + ["*" if self._is_value(*pair) else pair[1] for pair in itertools.pairwise(words)]
        slash = "/" * urlsplit(url).path.endswith("/")
        for at in range(1, len(words)):
            is_number_above = words[at - 1] == "0"
            beside = len(self._right_below_numbers() if is_number_above else self._below(words[at - 1]))
            above = len(self._folders(words[at]))
            is_view = above >= MANY and (above > (MOST if is_number_above else FEW) or above > beside)
            if any(map(str.isalpha, words[at])) and is_view:
                return "/".join(words[at:]) + slash, "/".join([words[at], *shown[at + 1 :]]) + slash
        if len(words) > 2 and shape_of(url).segments[-1].isdecimal() and shown[-2] == "*":
            return f"{words[-3]}/{words[-2]}/{{n}}{slash}", f"{words[-3]}/*/{{n}}{slash}"
        return "", ""

    def _count(self, key: str) -> tuple[float, float]:
        """Pages and gains of a key, which forgets half of them at HALF."""
        pages = gains = 0.0
        for keys, _, kind, gain in self.answers:
            if key in keys:
                pages += bool(kind)
                gains = gains + gain if kind else min(gains + gain, pages)
                if pages >= HALF:
                    pages, gains = pages / 2, gains / 2
        return pages, gains

    def _kinds(self, key: str) -> list[str]:
        return [kind for keys, _, kind, _ in self.answers if kind and key in keys]

    def prospect(self, url: str) -> float:
        fine, pattern, loose = self.keys(url)
        expected = 0.5
        for key in loose:
            if len({other for keys, other, kind, _ in self.answers if kind and key in keys}) > 1:
                pages, gains = self._count(key)
                expected = min(expected, (gains + 1) / (pages + 2))
        for key in fine[::-1]:
            pages, gains = self._count(key)
            kinds = self._kinds(key)
            is_copied = key.startswith(("W ", "V /…/", "F /…/")) and kinds.count("same") > len(kinds) / 2
            pace = SLOW if is_copied or not ("?" in pattern or "/…/" in pattern) else QUICK
            expected = (gains + pace * expected) / (pages + pace) if kinds else expected
        own = [(kind, gain) for _, other, kind, gain in self.answers if other == pattern]
        only_leads = {kind for kind, _ in own if kind} == {"redirect"}
        is_gated = sum(other == pattern and is_shut for other, _, is_shut in self.led) >= ONE_PAGE
        if self._is_shut(pattern) or (is_gated and only_leads):
            return 0.0
        leads_nowhere = len(own) >= DRY and only_leads and not any(gain for _, gain in own[-DRY:])
        return min(expected, LEAST) if leads_nowhere else expected

    def learn(self, answer: Answer) -> float:
        fine, pattern, loose = self.keys(answer.url)
        is_own = answer.of is not None and self.keys(answer.of)[1] == pattern
        if answer.is_ahead:
            return 0.0
        is_view = "?" in pattern or "/…/" in pattern
        leads_on = answer.kind != "error" and any(self._leads_on(answer, pattern, url) for url in answer.new)
        says_more = answer.kind == GAIN and (answer.is_full or not is_view)
        repeats = answer.kind in ("same", "same-list", "near")
        gain = 1 / DULL if answer.kind == GAIN or (leads_on and repeats) else 0.0
        gain = 1 / (DULL if is_view else COPIES) if answer.kind == COPY else gain
        gain = 1 / (FILES if answer.of else DULL) if answer.kind == FILE else gain
        is_last = all(not new.startswith(HOST) or self.keys(new)[1] != pattern for new in answer.new)
        gain = 1 / DULL if answer.kind == NUMBERS and is_last else gain
        gain = 1.0 if says_more or (leads_on and not repeats and answer.kind != FILE) else gain
        is_tail = pattern.startswith("F /…/") and "?" not in pattern
        is_again = is_tail and answer.kind == "same" and self._kinds(pattern).count("same") % COPIES > 0
        kept = [key for key in fine if not (is_again and key.startswith("D"))]
        self.answers.append(([*kept, *loose], pattern, answer.kind, gain))
        if repeats and is_own:
            self.repeated.append(pattern)
        if answer.kind == "redirect" and answer.of and quote(answer.url.removeprefix(HOST)) in answer.of:
            gate = self.keys(answer.of)[1]
            self.led.append((pattern, gate, self._is_one_page(gate) and self.opened.count(gate) < OPEN))
        return gain

    def open_gates(self, way: list[str]) -> None:
        gates = {self.keys(url)[1] for url in way} & {gate for _, gate, _ in self.led}
        self.opened += gates
        if any(self.opened.count(gate) == OPEN for gate in gates):
            self.led = [(pattern, gate, False) for pattern, gate, _ in self.led]
        if any(self.opened.count(gate) >= OPEN for gate in gates):
            self.answers += [([*fine, *loose], pattern, "", 1.0) for fine, pattern, loose in map(self.keys, way)]

    def _is_shut(self, pattern: str) -> bool:
        is_gate = pattern in (gate for _, gate, _ in self.led)
        return is_gate and self._is_one_page(pattern) and self.opened.count(pattern) < OPEN

    def _is_one_page(self, pattern: str) -> bool:
        kinds = [kind for _, other, kind, _ in self.answers if other == pattern]
        return self.repeated.count(pattern) >= ONE_PAGE and kinds.count(GAIN) < 2

    def _is_of_itself(self, url: str, new: str) -> bool:
        chosen, passed = (parse_qsl(urlsplit(each).query, keep_blank_values=True) for each in (url, new))
        carried = {(name, value) for name, value in chosen if len(self._values(name)) > FEW}
        return url.removeprefix(HOST) in dict(passed).values() or (bool(carried) and carried <= set(passed))

    def _leads_on(self, answer: Answer, pattern: str, new: str) -> bool:
        is_plain = not urlsplit(new).query
        if self._is_of_itself(answer.url, new):
            return False
        if not new.startswith(f"{HOST}/"):
            return is_plain
        if answer.kind == "canonical" and is_plain:
            return True
        fine, other, _ = self.keys(new)
        is_here = urlsplit(new).path == urlsplit(answer.url).path and answer.kind != "redirect"
        if is_here or other == pattern:
            return False
        ours, theirs = urlsplit(answer.url).path, urlsplit(new).path
        is_own = (ours.endswith("/") and theirs.startswith(ours)) or answer.kind in ("redirect", "canonical")
        if "/…/" in pattern and "/…/" in other and "?" not in pattern + other and not is_own:
            return False
        may_say, prospect = is_plain or GAIN in self._kinds(other), self.prospect(new)
        may_say &= prospect >= NOW or (answer.kind != "redirect" and self._has_risen(prospect, other, fine[-1]))
        read = [key for key in (other, fine[-1]) if len(self._kinds(key)) >= IN_VAIN][:1]
        return may_say and not any(map(self._is_in_vain, read)) and not self._is_one_page(other)

    def _has_risen(self, prospect: float, pattern: str, coarse: str) -> bool:
        own = [(kind, gain) for _, other, kind, gain in self.answers if kind and other == pattern]
        is_dry = [not gain or (kind == COPY and gain < 1) for kind, gain in reversed(own)]
        dry = len(list(itertools.takewhile(bool, is_dry)))
        pages, gains = self._count(coarse)
        most = DRY if pages >= COARSE and gains < POOR * pages else DRY * NOW / max(prospect, RISEN)
        said = sum(kind in (GAIN, FILE, NUMBERS) for kind in self._kinds(pattern))
        return prospect >= RISEN and said >= 2 and dry < most

    def _is_in_vain(self, key: str) -> bool:
        kinds, (pages, gains) = self._kinds(key), self._count(key)
        return gains < RARE * pages if {*kinds} == {"redirect"} else kinds.count(GAIN) < RARE * len(kinds)


TEMPLATES = [
    "/wiki/{word}{other}/{n}",
    "/{word}/wiki/{word}{other}/{n}/history",
    "/{word}/{n}",
    "/{other}/{n}/{word}",
    "/{word}/{other}/{n}.html",
    "/{word}/{other}/{n}/",
    "/{word}{n}/reviews/add/",
    "/{word}{n}/reviews/{other}",
    "/{word}?page={n}",
    "/{word}/{n}?sort={other}&page={few}",
    "/w/index.php?title={word}{n}&action={other}",
    "/w/index.php?title={word}{n}",
    "/{other}?sort={word}",
]


def urls(draw: random.Random) -> Iterator[str]:
    """URLs of some programs, without end."""
    words, templates = ["rose", "lily", "oak", "elm", "ivy", "fern", "moss"], draw.sample(TEMPLATES, 5)
    while True:
        word, other, n = draw.choice(words), draw.choice(words), draw.randrange(40)
        yield HOST + draw.choice(templates).format(word=word, other=other, n=n, few=n % 3)


@pytest.mark.parametrize("end", ["", "/"])
def test_a_view_by_a_number_has_no_word(end: str) -> None:
    judge = Judge()
    for word in itertools.product("abcdef", "xyz"):
        judge.note_url(f"{HOST}/wiki/{''.join(word)}/history{end}")
    version, history = (judge.keys(f"{HOST}/wiki/ax/{view}{end}") for view in ("3", "history"))
    assert (version.pattern, version.is_tail, version.has_word) == (f"F /…/wiki/*/{{n}}{end}", True, False)
    assert (history.pattern, history.is_tail, history.has_word) == (f"F /…/history{end}", True, True)


def test_the_word_of_a_view_stands_below_more_folders_than_its_folder_has() -> None:
    """Of /tree/rose.c and /diff/rose.c the first word is the view; of /Rose/history and /Rose/edit the last one."""
    judge, files = Judge(), [f"{word}.c" for word in "abcdefghijklmnopqrst"]
    for view in ("tree", "diff", "log", "blame", "plain", "patch", "commit"):
        for file in files:
            judge.note_url(f"{HOST}/garden/{view}/{file}?id=1")
    for page in files[:12]:
        for view in ("history", "edit"):
            judge.note_url(f"{HOST}/wiki/{page}/{view}")
    asked = ("garden/tree/a.c?id=1", "garden/diff/b.c?id=2", "wiki/a.c/history")
    patterns = [judge.pattern(f"{HOST}/{url}") for url in asked]
    assert patterns == ["F /garden/tree/*.c?id", "F /garden/diff/*.c?id", "F /…/history"]


def test_a_second_form_of_values_counts_at_once_and_after_a_restart() -> None:
    judge, url = Judge(), f"{HOST}/?topic=3.0"
    for topic in range(20):
        judge.note_url(f"{HOST}/?topic={topic}.0")
    assert judge.keys(url).fine[0] == "F //?topic"
    for each in (judge, Judge({}, {word: {*judge.seen[word]} for word in judge.changed_words})):
        each.note_url(f"{HOST}/?topic=3.msg7")
        assert each.keys(url).fine[0] == "V //?topic=0.0"


def test_a_topic_is_a_value_below_its_boards() -> None:
    judge = Judge()
    for topic in range(40):
        judge.note_url(f"{HOST}/forum/{topic % 9}b/topic/{chr(97 + topic % 26)}-{topic}x/?post=1")
    assert judge.pattern(f"{HOST}/forum/1b/topic/rose/?post=7") == "F /…/topic/*/?post"


def test_where_many_segments_look_like_programs_they_are_values() -> None:
    """Pages of a wiki with many versions each; what else there is to learn of its paths is learned."""
    judge = Judge()
    for number in range(30):
        judge.note_url(f"{HOST}/w/index.php?title={number}")
    for page in range(3_000):
        for version in range(20):
            judge.note_url(f"{HOST}/wiki/page{page}x?oldid={100 * page + version}")
        judge.note_url(f"{HOST}/talk/page{page}x/history")
    asked = ("wiki/page7x?oldid=7", "w/index.php?title=7", "talk/rose/history")
    patterns = [judge.pattern(f"{HOST}/{url}") for url in asked]
    assert patterns == ["F /wiki/{}?oldid", "F /w/index.php?title", "F /…/history"]
    assert len(judge.seen) < 2_048


@pytest.mark.parametrize(
    ("leads_there", "says", "is_read"), [(True, "same", False), (False, "same", True), (True, GAIN, True)]
)
def test_only_one_page_to_come_back_from_is_a_gate(leads_there: bool, says: str, is_read: bool) -> None:
    """A form for answers to a page leads back as well: that the first ones show no answer yet proves little."""
    judge = Judge()
    for number in range(5):
        page, form = (f"{HOST}/{path}{number}" for path in ("page/", "form?of=/page/"))
        judge.learn(Answer(form, says if number else GAIN, of=f"{HOST}/form?of=/page/0"))
        if leads_there:
            judge.learn(Answer(page, "redirect", of=form))
    assert (judge.prospect(f"{HOST}/form?of=/page/9") > 0) == is_read


@pytest.mark.parametrize("seed", range(5))
def test_prospects_and_gains_are_those_of_the_formula(seed: int) -> None:
    draw = random.Random(seed)
    made, judge, slow = urls(draw), Judge(), SlowJudge()
    poor, open_to_all = draw.choice(KINDS[:-1]), ("redirect", GAIN)[seed % 2]
    for step in range(200):
        found, known = [next(made) for _ in range(draw.randrange(3))], next(made)
        if draw.random() < 0.1:
            found.append(f"http://b.test/{step}")
        if draw.random() < 0.2:
            found.append(f"{HOST}/login?next={quote(known.removeprefix(HOST))}")
        for url in [*found, known]:
            slow.known.append(url)
            judge.note_url(url)
        kind, of = draw.choice([GAIN, GAIN, poor, draw.choice(KINDS)]), draw.choice([None, next(made)])
        if draw.random() < 0.2:  # a form to log in, and members that lead there: of some sites all do
            known = f"{HOST}/member/{step}"
            form = f"{HOST}/login?next=/member/{step}"
            known, kind, of = draw.choice([(form, "same", form), (known, "redirect", form), (known, open_to_all, None)])
        if is_moved := draw.random() < 0.1:
            known, kind, of = f"{HOST}/talk/{step}", "redirect", f"{HOST}/talk/{step + 1}"
        answer = Answer(known, kind, found, draw.random() < 0.3, of, is_ahead=is_moved and step % 2 > 0)
        assert judge.learn(answer) == pytest.approx(slow.learn(answer))
        for each in (judge, slow) if draw.random() < 0.02 else ():
            each.open_gates([f"{HOST}/login?next=/member/{step}", f"{HOST}/member/{step}"])
        if step % 10 == 0:
            judge = Judge(judge.counts, judge.seen)
            for url in [
                next(made),
                next(made),
                next(made),
                *(f"{HOST}{key}" for key in (f"/member/{step}", f"/login?next=/{step}", "/talk/0")),
            ]:
                assert judge.keys(url).pattern == slow.keys(url)[1]
                assert judge.prospect(url) == pytest.approx(slow.prospect(url)), url
