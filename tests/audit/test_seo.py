"""The rules of `audit --rules seo` on a site with planted faults: all are found, and none beside them. Each fault has
a twin that is none."""

from pathlib import Path

import pytest
from support.audits import Reply, canonical, crawl_web, said, site, version
from support.command_line import answer, run

from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.rules import RULES, Need, rules_in
from minicrawl.errors import SettingError
from minicrawl.settings import PROFILES
from minicrawl.store.reader import open_store
from minicrawl.web.language_tags import is_language_tag

SEO = rules_in("seo")
HOST, ELSEWHERE = "http://seo.test", "http://pictures.test"


def described(length: int) -> str:
    return f'<meta name="description" content="{"d" * length}">'


def feed(url: str, kind: str = "application/rss+xml") -> str:
    return f'<link rel="alternate" type="{kind}" href="{url}">'


def shared(url: str) -> str:
    return f'<meta property="og:image" content="{url}">'


GOOD = described(100)
PAGES = {
    "/title-60": Reply(head=GOOD, title="t" * 60),
    "/title-61": Reply(head=GOOD, title="t" * 61),
    "/title-10": Reply(head=GOOD, title="ten chars!"),
    "/title-9": Reply(head=GOOD, title="nine char"),
    "/title-of-letters": Reply(head=GOOD, title="ä" * 60),
    "/description-160": Reply(head=described(160)),
    "/description-161": Reply(head=described(161)),
    "/description-50": Reply(head=described(50)),
    "/description-49": Reply(head=described(49)),
    "/noindex": Reply(head=described(9) + '<meta name="robots" content="noindex">', title="short"),
    "/en": Reply("/de", head=GOOD + version("en", "/en") + version("de-AT", "/de") + version("x-default", "/")),
    "/de": Reply("/en", head=GOOD + version("en", "/en") + version("de-AT", "/de") + version("X-Default", "/")),
    "/uk": Reply(head=GOOD + version("en-UK", "/uk") + version("zh-Hant-TW", "/uk")),
    "/uk-too": Reply(
        head=GOOD + version("en-UK", "/uk-too") + version("en_GB", "/uk-too") + version("es-419", "/uk-too")
    ),
    "/twice": Reply(head=GOOD + canonical("/twice") + canonical("http://seo.test/twice#top")),
    "/thrice": Reply(head=GOOD + canonical("/thrice"), link='<http://seo.test/thrice>; rel="canonical"'),
    "/two": Reply(head=GOOD + canonical("/two") + canonical("/en")),
    "/by-header": Reply(head=GOOD + canonical("/by-header"), link='<http://seo.test/de>; rel="canonical"'),
    "/feed": Reply(head=GOOD + feed("/feed.xml") + feed("/mobile", "text/html")),
    "/feed-gone": Reply(head=GOOD + feed("/gone.xml") + feed("/gone.json", "application/feed+json; charset=utf-8")),
    "/feed-forbidden": Reply(head=GOOD + feed("/forbidden.xml")),
    "/shared": Reply(head=GOOD + shared("/here.png") + shared(f"{ELSEWHERE}/there.png")),
    "/shared-gone": Reply(head=GOOD + shared(f"{ELSEWHERE}/gone.png")),
    "/shared-gone-too": Reply(head=GOOD + shared(f"{ELSEWHERE}/gone.png")),
    "/shown": Reply(head=GOOD + shared("/shown-gone.png"), body=said("shown") + "<img src=/shown-gone.png alt=x>"),
}
FILES = {"/feed.xml": Reply(), "/here.png": Reply(), "/forbidden.xml": Reply(status=403)}
WEB = {
    **site("seo.test", {"/": Reply(" ".join(PAGES), head=GOOD), **PAGES, **FILES}),
    **site("pictures.test", {"/there.png": Reply()}),
}
FAULTS = {
    "title-long": {f"{HOST}/title-61": 0},
    "title-short": {f"{HOST}/title-9": 0},
    "description-long": {f"{HOST}/description-161": 0},
    "description-short": {f"{HOST}/description-49": 0},
    "hreflang-invalid": {"en-UK": 2, "en_GB": 1},
    "canonical-several": {f"{HOST}/two": 0, f"{HOST}/by-header": 0},
    "feed-missing": {f"{HOST}/gone.xml": 1, f"{HOST}/gone.json": 1},
    "og-image-missing": {f"{ELSEWHERE}/gone.png": 2},
    "file-missing": {f"{HOST}/shown-gone.png": 1},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("seo") / "crawl.db"
    crawl_web(WEB, path, [f"{HOST}/"], **PROFILES["audit"])
    return path


def audit_of(path: Path) -> Audit:
    with open_store(path) as reader, reader.snapshot():
        return audited(reader, {**RULES, **SEO})


def test_planted_faults_are_found_and_no_others(store: Path) -> None:
    audit, found = audit_of(store), dict[str, dict[str, int]]()
    for each in audit.findings:
        if each.rule in FAULTS or each.rule.startswith(("canonical", "hreflang", "link", "broken", "redirect")):
            found.setdefault(each.rule, {})[each.target] = each.sources
    assert found == FAULTS
    assert set(SEO) < set(FAULTS)
    assert not set(SEO) & set(audit.not_checked)


@pytest.mark.parametrize(("has_facts", "lacking"), [(True, {Need.FILES}), (False, {Need.FACTS, Need.FILES})])
def test_what_the_store_has_not_is_unknown(tmp_path: Path, has_facts: bool, lacking: set[Need]) -> None:
    """Without requests for files nobody knows which are missing; without facts, nothing of what pages name."""
    crawl_web(WEB, tmp_path / "crawl.db", [f"{HOST}/"], audit=has_facts)
    audit = audit_of(tmp_path / "crawl.db")
    unknown = {name for name, rule in SEO.items() if rule.needs in lacking}
    assert set(SEO) & set(audit.not_checked) == unknown
    assert set(SEO) & {found.rule for found in audit.findings} == set(SEO) - unknown


def test_the_command_takes_a_file_of_rules(store: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[titled]\nselect = \"SELECT url FROM page WHERE title = 'nine char'\"")
    plain, seo, mine = (
        {each["rule"] for each in answer("audit", *words, "--store", store)["findings"]}
        for words in ([], ["--rules", "seo"], ["--rules", own])
    )
    assert (seo - plain, mine - plain) == (set(SEO), {"titled"})
    assert "og-image-missing (warning, files, with --rules seo)" in run("audit", "--rules").stdout
    for name, why in (("none.toml", "No such file"), (str(store), "is not TOML")):
        result = run("audit", "--rules", name, "--store", store)
        assert (result.exit_code, why in result.stderr) == (SettingError.exit_code, True)


TAGS = """
    en EN-gb de-AT zh-Hant-TW sr-Latn es-419 gsw iw de-DE-1901 en-u-co-phonebk en-x-a zh-cmn-Hans-CN
"""
NONE = "en-UK xy en_GB english en- x-default cn dk us de-DE-AT- zh-Hant-TWN a 1"


def test_language_tags_are_told() -> None:
    assert [tag for tag in TAGS.split() if not is_language_tag(tag)] == []
    assert [tag for tag in ("", "en-" + "variant-" * 5_000 + "!", *NONE.split()) if is_language_tag(tag)] == []
