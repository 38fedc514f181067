"""The main content of a page, told from menus, headers, footers, side columns, comments, and the like (docs/text.md).

The parser hands over the sizes and kinds of blocks of text, and the containers around them that have a telling tag,
role, class or id (`container`):

1. The text of a block besides its links counts as prose, if it is most of a block that is not short.
2. Containers named after something beside the content are frame, unless they hold so much of the page's prose that they
   are its layout. So are boxes of prose amid other prose: books call these "sidebar". A name for links or for a box
   counts only where no prose is inside. The posts of a forum are content, though it calls them comments.
3. The content is in the narrowest container named after content that has most of the prose left.
4. Short blocks and links before the first prose and behind the last are frame, and so are sections of links alone at
   the end of a page with much prose.
5. The title of the page is content, and so is a lead between it and the content.

What went by rule 2 alone is content after all, if the page's host has it on no other page (`pieces_of`).

The limits are round numbers, chosen on pages of which people marked the content.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, compress, dropwhile, islice, pairwise, takewhile
from operator import and_, mul, or_

TEXT, ARTICLE, MAIN, OUT, PERHAPS, COMMENTS, HEADER = "text", "article", "main", "out", "perhaps", "comments", "header"
BOX, CLOSED, HEAD = "box", "closed", "head"
"""Containers: of an article's text, an article, a page's main part; of what is beside the content, or may be; of
comments and headers; of links, or boxes for anything; of what is hidden, and nothing opens it; of that name alone,
which tells the place of links."""
CODE, ITEM, CELL = 7, 8, 9
"""Kinds of blocks. Headings have their levels, 1 to 6, and others 0."""

_BY_TAG = {"main": MAIN, "article": ARTICLE, "header": HEADER, "form": PERHAPS} | dict.fromkeys(
    ("nav", "menu", "footer", "aside", "button", "select", "dialog"), OUT
)
_BY_ROLE = {"main": MAIN, "article": ARTICLE} | dict.fromkeys(
    ("navigation", "menu", "menubar", "banner", "contentinfo", "complementary", "search", "dialog", "toolbar"), OUT
)
NAMED = frozenset({"div", "p", "section", "ul", "ol", "figcaption", "table", "td", *_BY_TAG})
"""The elements that are containers."""
_WORDS = {
    COMMENTS: """comment comments commentaires comentarios kommentar kommentare commentlist respond disqus reply
        replies""",
    BOX: """nav navi mainnav topnav subnav navbar navigation menu menus submenu dropdown toc prev next skip banner
        widget widgets textwidget popup overlay cta read-more more-link more-links""",
    OUT: """navheader navfooter breadcrumb breadcrumbs crumb crumbs pagination pager paginator search tool tools
        toolbar footer foot colophon copyright masthead sidebar related recommended recommendation recommendations
        popular trending share sharing sharedaddy social jp sd rss newsletter subscribe subscription signup login
        cookie cookies consent gdpr modal ad ads advert adverts advertisement advertising sponsor sponsors sponsored
        promo outbrain taboola print noprint byline dateline bio metadata read-time author-box author-bio
        author-info author-card about-author entry-utility post-meta entry-meta article-meta post-info entry-info
        article-info post-tags entry-tags article-tags tag-links cat-links post-footer entry-footer article-footer
        post-tools article-tools post-date entry-date article-date post-author entry-author article-author
        post-categories post-rating post-ratings screen-reader visually-hidden sr-only""",
    HEAD: "header head",
    ARTICLE: "article hentry entry post story beitrag artikel noticia document content inhalt contenido contenu",
    MAIN: "main maincontent maincol primary",
    PERHAPS: "meta author date credit credits links profile categories timestamp teasers caption",
}
_BY_WORD = {word.replace("-", ""): mark for mark, words in _WORDS.items() for word in words.split()}
"""Marks by a word of a class or id, or by two in a row."""
_OF_TEXT = "article artikel blog body detail entry field item main news node page post recipe story text"
_TEXT_WORDS = {word + part for word in _OF_TEXT.split() for part in ("body", "content", "copy", "inhalt", "text")}
_TEXT_WORDS |= {"richtext", "wysiwyg", "markdown", "themedoc", "cuerpo"}
"""The last word of such a name, or the last two, where the element is around an article's text."""
_PARTS = ("navi", "menu", "footer", "sidebar", "breadcrumb", "comment", "content", "article")
"""Parts of long words that count as words."""
_LONG_WORD = 7
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DRAWN = re.compile(r"[A-Za-z]*(?:\d[A-Za-z]|\d{3})[A-Za-z\d]*")
"""A part of a name that a program has drawn: letters behind digits, or many digits."""
_SHORTEST = 3
"""A word of fewer letters is a part of a name by itself: "ad-box", not "hFAdRP"."""
_ABOUT = frozenset(("category", "elementor", "format", "is", "js", "status", "tag", "type", "wp"))
"""First words of classes that describe a page or its layout."""
_HAS = frozenset(("has", "with", "no", "without", "for", "above", "below", "hide", "show"))
"""Words before the name of something else."""
_LONGEST_NAME = 1_000

_SHORT = 20
_PARAGRAPH = 80
"""Characters from which a block is a paragraph; a shorter one counts half."""
_SOME_PROSE = 40
_MUCH_PROSE = 1_000
_FEW_LINKS, _MANY_LINKS = 1 / 3, 1 / 2
_LAYOUT = {OUT: 0.5, BOX: 0.5, CLOSED: 0.5, HEADER: 0.5, PERHAPS: 0.25, COMMENTS: 1}
"""The share of a page's prose with which a container is layout."""
_WHOLE = 0.9
"""A container with a larger share of a page's text is layout, and so are comments with such a share of its prose."""
_AREAS = (TEXT, ARTICLE, MAIN)
_LITTLE = 0.1
"""A page with a smaller share of prose is one of links."""
_MOST = 0.7
_DISCUSSION = 250
"""A page with less prose beside its comments consists of them."""
_REMARK = 28
_LEAD = 60
_TOLD = 200
"""Prose of a container of links, or for anything, that is content."""
_BOX = 60
"""A box has this much prose, most of its text, and prose among the two blocks in front of it and behind it."""
_MOST_LINKED_OF_BOX = 0.2
_MOST_PIECES = 32
_BEHIND_TITLE = 3
"""Blocks behind the title among which a header may have a lead."""
_TEASER, _SERIES = 5, 3
"""Blocks of a teaser at most, below its heading; a series has three or more."""
_NOT = bytes.maketrans(b"\0\1", b"\1\0")


def container(tag: str, attributes: Mapping[str, str | None]) -> str:
    """The mark of an element by its tag, role, class and id; empty if they say nothing."""
    if not attributes:
        return _BY_TAG.get(tag, "")
    get = attributes.get
    names, number = get("class") or "", get("id") or ""
    if not (names or number or "role" in attributes):
        return _BY_TAG.get(tag, "")
    if tag == "section":  # whose id is made from its heading
        number = ""
    return _container(tag, names[:_LONGEST_NAME], number[:_LONGEST_NAME], get("role") or "")


def is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """True for an element that is not shown until something opens it."""
    hides = "hidden" in attributes or "display:none" in (attributes.get("style") or "").replace(" ", "")
    return hides and attributes.get("role") != "tabpanel" and attributes.get("hidden") != "until-found"


@lru_cache(10_000)  # the pages of a site share most names
def _container(tag: str, names: str, number: str, role: str) -> str:
    by_tag = _BY_ROLE.get(role.strip().lower()) or _BY_TAG.get(tag, "")
    if by_tag in (OUT, MAIN):
        return by_tag
    tokens = names.split()
    if "section" not in tokens:
        tokens += number.split()
    found = list(filter(None, map(_named, tokens)))
    found = [mark for mark in found if mark != HEAD] or found[:1]
    if not found:
        return by_tag
    if found[0] in (OUT, BOX, COMMENTS) or (found[0] == PERHAPS and not by_tag):
        return OUT if OUT in found else found[0]
    return TEXT if TEXT in found else by_tag or found[0]


@lru_cache(10_000)
def _named(token: str) -> str:
    """The mark of an element with this class or id."""
    token = token.partition("--")[0]  # a modifier, by the convention BEM
    words = list(takewhile(lambda word: word not in _HAS, _words(token)))
    if not words or words[0] in _ABOUT:
        return ""
    found = [_BY_WORD.get(word) or _by_part(word) for word in words]
    if len(words) > 1:
        found += [_BY_WORD.get(one + other) for one, other in pairwise(words) if len(one) > 1 and len(other) > 1]
        if "sidebar" in words[:-1] or words[-1] in ("result", "results"):  # a column beside it, what a search found
            found = [mark for mark in found if mark != OUT]
    if words[-1] in _TEXT_WORDS or "".join(words[-2:]) in _TEXT_WORDS:
        found.append(TEXT)
    return next((mark for mark in (COMMENTS, OUT, BOX, TEXT, ARTICLE, MAIN, PERHAPS, HEAD) if mark in found), "")


def _words(token: str) -> Iterator[str]:
    """The words of a class or id, without those that a program has drawn."""
    for part in re.split(r"[^A-Za-z\d]+", token):
        if not _DRAWN.fullmatch(part):
            words = _WORD.findall(part)
            yield from (word.lower() for word in words if len(words) == 1 or len(word) >= _SHORTEST)


def _by_part(word: str) -> str | None:
    if len(word) >= _LONG_WORD:
        for part in _PARTS:
            if part in word:
                return _BY_WORD[part]
    return None


class Page:
    """The blocks of a page.

    `sizes`, `linked`: their characters, and those in links; `kinds`: see there; `levels`: of headings, else 0;
    `prose`: see the module; `containers`: mark, first block, and the one behind the last, by their ends; `controls`:
    blocks with buttons; `buttons`: those that are nothing else, and whether they may open what is behind.
    """

    def __init__(self) -> None:
        self.sizes, self.linked, self.kinds, self.prose = list[int](), list[int](), list[int](), list[int]()
        self.levels, self.buttons, self.controls = list[int](), dict[int, bool](), set[int]()
        self.containers = list[tuple[str, int, int]]()

    def add(self, size: int, linked: int, kind: int) -> None:
        """Add a block."""
        self.sizes.append(size)
        self.linked.append(linked)
        self.kinds.append(kind)
        self.levels.append(kind if kind < CODE else 0)
        is_prose = size >= _SHORT and linked <= _FEW_LINKS * size
        self.prose.append(size if kind == CODE else (size - linked) >> (size < _PARAGRAPH) if is_prose else 0)

    def is_linked(self, block: int) -> bool:
        size, linked = self.sizes[block], self.linked[block]
        return linked > _MANY_LINKS * size and size - linked < _PARAGRAPH

    @cached_property
    def sums(self) -> "_Sums":
        """Those of `sizes`, `prose`, `linked` and of blocks in `controls`, once all blocks are known."""
        has_controls = [block in self.controls for block in range(len(self.sizes))]
        return _Sums(self.sizes, self.prose, self.linked, has_controls)


class _Sums:
    """Sums of numbers of blocks, for any range of these."""

    def __init__(self, *counts: Sequence[int]) -> None:
        self._until = [[0, *accumulate(each)] for each in counts]

    def of(self, first: int, end: int) -> list[int]:
        return [each[end] - each[first] for each in self._until]


def _is_prose(size: int, prose: int, linked: int, least: int) -> bool:
    """True for blocks with so much prose, if it is most of their text."""
    return prose >= max(least, _MOST * size) and linked <= _MOST_LINKED_OF_BOX * size


def content_of(page: Page, named: int | None = None) -> Sequence[int]:
    """By block, 1 for content. named: the heading that the document's title has, which is that of
    a page without another, whatever its level."""
    if not page.sizes:
        return b""
    out, perhaps = _beside(page)
    prose, sizes = (list(map(mul, counts, perhaps.translate(_NOT))) for counts in (page.prose, page.sizes))
    is_links = sum(prose) < _LITTLE * sum(sizes)
    area = _area(page, sizes if is_links else prose)
    content = bytearray(map(and_, area, perhaps.translate(_NOT)))
    if not is_links:
        _trim(page, prose, content)
    if not any(content):
        content = bytearray(perhaps.translate(_NOT))
    _drop_headings(page, area, content)
    if not any(content):
        return b"\1" * len(content)
    first = content.index(1)
    titles = [block for block, level in enumerate(page.levels) if level == 1]
    if not any(content[block] for block in titles):
        titles = [block for block, level in enumerate(page.levels) if level == 1 or block == named]
    has_title = any(content[block] for block in titles)
    before = (block for block in reversed(titles) if block < first)
    title = next((block for block in before if not (has_title and out[block])), first)
    for block in range(title, first):
        content[block] = block == title or (not out[block] and page.prose[block] >= _LEAD)
    return content


def beside_by_name(page: Page) -> bytes:
    """By block, 1 for those with a name after something beside the content, for hidden ones and for buttons; for none
    if they are most of the page."""
    ranges = [(first, end) for mark, first, end in _marked(page) if mark in (OUT, CLOSED)]
    beside = bytearray(_covered(ranges, len(page.sizes)))
    for button in page.buttons:
        beside[button] = 1
    return bytes(beside if 2 * sum(compress(page.sizes, beside)) <= sum(page.sizes) else len(beside))


def _marked(page: Page) -> list[tuple[str, int, int]]:
    """The containers of a page. One of links, or for anything, is beside the content, unless it holds prose."""
    sums, found = page.sums, list[tuple[str, int, int]]()
    for mark, first, end in page.containers:
        if mark != BOX:
            found.append((mark, first, end))
            continue
        size, prose, linked, controls = sums.of(first, end)
        if controls or not _is_prose(size, prose, linked, _TOLD):
            found.append((OUT, first, end))
    return found


def _beside(page: Page) -> tuple[bytes, bytes]:
    """By block, 1 for what is beside the content: for certain, and perhaps."""
    sums = page.sums
    whole, most, *_ = sums.of(0, len(page.sizes))
    inside: dict[str, list[tuple[int, int]]] = {mark: [] for mark in (OUT, PERHAPS, COMMENTS, HEADER, CLOSED)}
    for mark, first, end in _marked(page):
        size, prose, *_ = sums.of(first, end)
        if mark in inside and size <= _WHOLE * whole and prose <= _LAYOUT[mark] * most:
            inside[mark].append((first, end))
    closed = inside.pop(CLOSED)
    if sum(compress(page.prose, _covered(closed, len(page.sizes)))) > _WHOLE * most:
        closed.clear()  # slides, of which a script shows one
    inside[OUT] = [*(each for each in inside[OUT] if not _is_box(page, sums, *each)), *closed]
    out, perhaps, comments, headers = (_covered(ranges, len(page.sizes)) for ranges in inside.values())
    if any(headers):
        shown, title = list[bool](), -len(out)
        for block, (size, prose) in enumerate(zip(page.sizes, page.prose, strict=True)):
            title = block if page.levels[block] == 1 else title
            is_behind = block - title <= _BEHIND_TITLE and size >= (
                _SHORT if page.kinds[block] == ITEM else _SOME_PROSE
            )
            is_lead = is_behind and 3 * page.linked[block] <= size
            shown.append(block == title or is_lead or prose >= _PARAGRAPH * (1 - _FEW_LINKS))
        out = bytes(one or (header and not is_shown) for one, header, is_shown in zip(out, headers, shown, strict=True))
    if page.buttons:
        beside = bytearray(out)
        for button, opens in page.buttons.items():
            panel = button + 1
            in_row = button - 1 in page.buttons or panel in page.buttons
            beside[button] |= in_row or not opens or panel == len(out) or out[panel] or page.is_linked(panel)
        out = bytes(beside)
    left = list(map(mul, page.prose, out.translate(_NOT)))
    both = bytes(map(or_, out, perhaps))
    perhaps = both if 2 * sum(compress(left, perhaps)) <= sum(left) else out
    left = list(map(mul, left, perhaps.translate(_NOT)))
    if any(comments) and not _is_discussion(page, left, comments):
        out, perhaps = bytes(map(or_, out, comments)), bytes(map(or_, perhaps, comments))
    return out, perhaps


def _is_discussion(page: Page, prose: Sequence[int], comments: bytes) -> bool:
    """True if comments are a page's content: there is little else; or they are nearly all of it, and no article is
    beside them; or they are articles themselves, as the posts of a forum are."""
    sums, posts, article = _Sums(prose, comments), list[tuple[int, int]](), 0
    for mark, first, end in page.containers:
        told, remarks = sums.of(first, end) if mark == TEXT else (0, -1)
        if remarks == end - first:
            posts.append((first, end))
        elif not remarks:
            article = max(article, told)
    said, posted = (sum(compress(prose, blocks)) for blocks in (comments, _covered(posts, len(prose))))
    beside = sum(prose) - said
    is_most = said > _WHOLE * (said + beside) and article < _DISCUSSION
    return beside < _DISCUSSION or is_most or posted >= _MOST * said


def pieces_of(page: Page, content: Sequence[int]) -> list[tuple[int, int]]:
    """Containers that a name alone puts beside the content, as ranges of blocks, the largest first: words, with the
    heading above them, or links that are more than the content. They are content where no other page of their host
    has them."""
    away = [(first, end) for mark, first, end in page.containers if mark == CLOSED]
    sums, barred = page.sums, _Sums(bytes(map(or_, _covered(away, len(content)), content)))
    most, found = sum(compress(page.sizes, content)), dict[tuple[int, int], int]()
    for mark, first, end in page.containers:
        if mark not in (OUT, BOX, PERHAPS, HEADER, COMMENTS) or any(barred.of(first, end)):
            continue
        size, prose, linked, controls = sums.of(first, end)
        has_words = _is_prose(size, prose, linked, _BOX) if controls else size >= max(_SHORT, 2 * linked)
        if has_words or (not controls and most < size < 2 * linked):
            has_heading = first > 0 and page.levels[first - 1] > 1 and not content[first - 1]
            found[first - has_heading, end] = size
    return sorted(found, key=lambda piece: -found[piece])[:_MOST_PIECES]


def _is_box(page: Page, sums: _Sums, first: int, end: int) -> bool:
    """True for prose amid other prose, without buttons. sums: those of the page."""
    size, prose, linked, controls = sums.of(first, end)
    around = page.prose[max(0, first - 2) : first], page.prose[end : end + 2]
    is_amid = all(any(each >= _SOME_PROSE for each in blocks) for blocks in around)
    return is_amid and not controls and _is_prose(size, prose, linked, _BOX)


def _covered(ranges: Sequence[tuple[int, int]], size: int) -> bytes:
    """By number below `size`, 1 in one of the ranges or more."""
    if not ranges:
        return bytes(size)
    steps = [0] * (size + 1)
    for first, end in ranges:
        steps[first] += 1
        steps[end] -= 1
    return bytes(map(bool, islice(accumulate(steps), size)))


def _area(page: Page, prose: Sequence[int]) -> bytes:
    """By block, 1 inside the narrowest container, or all containers of one mark, with most of the prose."""
    sums, sizes = [0, *accumulate(prose)], [0, *accumulate(page.sizes)]
    least, narrowest, size = _MOST * sums[-1], (0, len(prose)), sizes[-1] + 1
    for mark, first, end in page.containers:
        if mark in _AREAS and sums[end] - sums[first] >= least and sizes[end] - sizes[first] < size:
            size, narrowest = sizes[end] - sizes[first], (first, end)
    for mark in _AREAS:
        area = _covered([(first, end) for other, first, end in page.containers if other == mark], len(prose))
        if any(area) and sum(compress(prose, area)) >= least:
            if sum(compress(page.sizes, area)) < size:
                return _with_headings(page, area)
            break
    return _covered([narrowest], len(prose))


def _with_headings(page: Page, area: bytes) -> bytes:
    """Several containers with the headings between them, each above one of them."""
    inside, heads = bytearray(area), 0
    for block in reversed(range(area.index(1), len(area))):
        heads = area[block] or (heads and not page.is_linked(block))
        inside[block] |= heads and page.levels[block] > 1
    return bytes(inside)


def _trim(page: Page, prose: Sequence[int], content: bytearray) -> None:
    """Take short blocks and links out of the content, before the first prose and behind the last."""
    told = [block for block in compress(range(len(prose)), content) if prose[block] >= _SOME_PROSE]
    if not told or sum(prose) <= _MUCH_PROSE:
        return
    teasers = _teasers(page, content)
    if sum(prose[:teasers]) <= max(_MUCH_PROSE, sum(prose[teasers:]) / 2):
        teasers = len(prose)
    elif teasers < len(prose):
        told = [block for block in told if block < teasers] or told
    title = max((block for block in range(told[0]) if page.levels[block] == 1), default=told[0])
    for block in range(told[0]):
        is_remark = block < title and page.sizes[block] < _REMARK
        if not page.kinds[block] and (is_remark or page.is_linked(block)):
            content[block] = 0
    headings = [block for block in range(told[-1] + 1, len(prose)) if page.levels[block]]
    for before, behind in pairwise([told[-1], *headings, len(prose)]):
        section = [block for block in range(before + 1, behind) if content[block]]
        linked = sum(page.linked[block] for block in section)
        is_links = before >= teasers or linked > _MANY_LINKS * sum(page.sizes[block] for block in section)
        if before == told[-1]:  # a line that leads on to them stays
            section = list(dropwhile(lambda block: page.sizes[block] >= _REMARK and not page.linked[block], section))
        for block in section:
            is_remark = before == told[-1] and not page.kinds[block] and page.sizes[block] < _REMARK
            if is_links or is_remark or (before == told[-1] and page.is_linked(block)):
                content[block] = 0


def _teasers(page: Page, content: Sequence[int]) -> int:
    """The first block of a series at the end of a page: headings that are links, each above some words about another
    page. Behind it are headings without prose, if any."""
    first = end = len(content)
    number = 0
    for block in (block for block in reversed(range(end)) if page.levels[block] and content[block]):
        inside = list(compress(page.prose[block + 1 : end], content[block + 1 : end]))
        is_linked = page.is_linked(block)
        paragraphs = sum(prose >= _PARAGRAPH for prose in inside)
        if (len(inside) > _TEASER or paragraphs > 2) if is_linked else any(prose >= _SOME_PROSE for prose in inside):
            break
        end, number = block, number + is_linked
        first = block if is_linked else first
    return first if number >= _SERIES else len(content)


def _drop_headings(page: Page, area: Sequence[int], content: bytearray) -> None:
    """Take headings out of the content where all that they head is frame."""
    has_content = has_frame = False
    below = 0  # the level of the next heading
    for block in reversed(range(len(content))):
        if not page.levels[block]:
            has_content = has_content or content[block] == 1
            has_frame = has_frame or (area[block] == 1 and not content[block])
        elif content[block]:
            has_frame = has_frame and not has_content and 1 < page.levels[block] >= below
            content[block] = not has_frame
            below = below if has_frame else page.levels[block]
            has_content = False
