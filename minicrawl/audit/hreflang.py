"""Versions of pages in other languages, as link elements and headers with hreflang name them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule

_LANGUAGES = frozenset(
    re.findall(
        r"\w\w",
        """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my
na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm
sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh
zu iw in ji
""",
    )
)
"""ISO 639-1, with retired codes that search engines know; all of three letters are let pass."""
_REGIONS = frozenset(
    re.findall(
        r"\w\w",
        """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
""",
    )
)
"""ISO 3166-1 alpha-2, and XK."""
_TAG = re.compile(
    r"([a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-([a-z]{2}|\d{3}))?(?:-[a-z\d]{4,8})*(?:-[a-z\d]-[a-z\d-]+)?"
)
"""Language and region of a tag (RFC 5646); variants and extensions are let pass."""
_WHOLE, _MOST = 9_900, 100
"""Characters and versions from which on the store may not have all of a page."""


def is_language(tag: str) -> bool:
    """True for "x-default", and for tags of known languages and regions (RFC 5646)."""
    found = _TAG.fullmatch(tag.lower())
    if found is None:
        return tag.lower() == "x-default"
    language, region = found[1], found[2]
    return (len(language) == 3 or language in _LANGUAGES) and (
        not region or region.isdecimal() or region.upper() in _REGIONS
    )


def _read(text: str) -> list[tuple[str, str]]:
    """Language and URL of each version."""
    parts = (part.partition("=") for part in text.split(" "))
    return [(language, url) for language, _, url in parts]


def _versions(crawled: Crawled) -> Mapping[int, list[tuple[str, str]]]:
    """The versions of each page of ours that names some, itself left in."""
    return {page: _read(text) for page, text in crawled.hreflangs.items() if crawled.is_page[page]}


def _by_target(crawled: Crawled) -> dict[int, list[int]]:
    """The pages of ours that name each page as a version in another language."""
    naming = defaultdict[int, list[int]](list)
    for page, versions in _versions(crawled).items():
        for target in dict.fromkeys(crawled.named.get(url, page) for _, url in versions):
            if target != page:
                naming[target].append(page)
    return naming


@rule(
    "hreflang-broken",
    Severity.ERROR,
    why="The version in another language is a page that is not there.",
    how="Name the page that replaces it, or take it out of the list of versions.",
)
def hreflang_broken(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in _by_target(crawled).items():
        if crawled.leads_nowhere[target]:
            yield Fault(target, str(crawled.columns.reason[crawled.web.end[target]]), tuple(sources))


@rule(
    "hreflang-to-noncanonical",
    Severity.WARNING,
    why="The version in another language redirects or names another canonical; search engines ignore it then.",
    how="Name the page that it leads to.",
)
def hreflang_to_noncanonical(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.is_redirect & ~web.is_broken[web.end]
    for target, sources in _by_target(crawled).items():
        if moved[target] or (crawled.is_html[target] and target in crawled.web.canonicals):
            yield Fault(target, "redirects" if moved[target] else "names another page", tuple(sources))


@rule(
    "hreflang-no-return",
    Severity.WARNING,
    why="Search engines believe versions only if each of two pages names the other.",
    how="Let the page name the pages that name it.",
)
def hreflang_no_return(crawled: Crawled) -> Iterator[Fault]:
    end = crawled.web.end
    for target, sources in _by_target(crawled).items():
        text = crawled.hreflangs.get(target, "")
        versions = _read(text) if text else []
        may_be_cut = len(text) > _WHOLE or len(versions) >= _MOST
        if may_be_cut or not crawled.is_html[target] or target in crawled.web.canonicals:
            continue
        back = {int(end[crawled.named[url]]) for _, url in versions if url in crawled.named}
        lacking = [page for page in sources if page not in back and _is_version(crawled, page, target)]
        if lacking:
            yield Fault(target, "", tuple(lacking))


def _is_version(crawled: Crawled, page: int, target: int) -> bool:
    """True if the page names the target as of a language, and not only as the default, which need not name it."""
    versions = _read(crawled.hreflangs[page])
    return any(language.lower() != "x-default" for language, url in versions if crawled.named.get(url) == target)


@rule(
    "hreflang-invalid-language",
    Severity.WARNING,
    why="No language or region has this code, so that search engines ignore the version.",
    how="Use a code of ISO 639-1, with a region of ISO 3166-1 if it matters, such as en-GB.",
)
def hreflang_invalid_language(crawled: Crawled) -> Iterator[Fault]:
    naming = defaultdict[str, list[int]](list)
    for page, versions in _versions(crawled).items():
        for language in dict.fromkeys(language for language, _ in versions):
            if not is_language(language):
                naming[language].append(page)
    for language, sources in naming.items():
        yield Fault(language, "", tuple(sources), float(crawled.stake[sources].sum()))
