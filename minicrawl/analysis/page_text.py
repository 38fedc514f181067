"""The text of a page as of its last reading."""

from minicrawl.analysis.explain import Explanation, explain, meant_by
from minicrawl.analysis.usage import PageUsage
from minicrawl.crawler.http.response_fields import HTML_TYPES, media_type
from minicrawl.errors import SettingError
from minicrawl.export.markdown import check_has_texts
from minicrawl.model import READ, State
from minicrawl.store.reader import Store
from minicrawl.store.texts.marked_text import KeptText

_LONGEST_CHAIN = 16


def page_text(store: Store, text: str) -> KeptText:
    """The kept text of the page that a user names; for an alias without text, that of its target.

    Raises SettingError where there is none, and StoreError.
    """
    with store.snapshot():
        for url in meant_by(text):
            if (kept := _followed(store, url)) is not None:
                return kept
        found = explain(store, text)
        if found.page is None:
            raise SettingError(f"{found.url} is not known to this crawl ({found.reason}); 'minicrawl why' tells more")
        kept = _followed(store, found.url)
        if kept is not None:
            return kept
        if found.state not in READ:
            raise SettingError(f"{found.url} has not been read: {found.state} ({found.reason}); see 'minicrawl why'")
        check_has_texts(store)
        raise SettingError(f"the text of {found.url} is not kept: {_why_none(store, found)}")


def _why_none(store: Store, found: Explanation) -> str:
    facts = store.page_table.facts(store.page_table.find([found.url])[found.url])
    kind = media_type(facts["content_type"])
    unwanted = [use for use in PageUsage(store).respected if found.usage[use].verdict == "disallowed"]
    if unwanted:
        return f"the page does not want {' and '.join(unwanted)}, which the crawl respects"
    if "noarchive" in (facts["robots"] or ""):
        return "the page says noarchive"
    if kind not in HTML_TYPES:
        return f"it is {kind}; texts are kept of HTML, and with --pdf of PDF files"
    if not facts["bytes"]:
        return "the page is empty"
    return "the page was read without --text; 'minicrawl refresh' reads it again"


def _followed(store: Store, url: str) -> KeptText | None:
    for _ in range(_LONGEST_CHAIN):
        kept = store.text(url)
        page = store.page_table.find([url]).get(url)
        if kept is not None or page is None or store.page_table.state(page) != State.ALIAS:
            return kept
        url = store.page_table.url(int(store.link_table.outlinks(page)[0]))
    return None
