"""The text of a page as of its last reading."""

from minicrawl.analysis.explain import explain, meant_by
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
        raise SettingError(
            f"the text of {found.url} is not kept: it was read without --text, is no HTML or says noarchive"
        )


def _followed(store: Store, url: str) -> KeptText | None:
    for _ in range(_LONGEST_CHAIN):
        kept = store.text(url)
        page = store.page_table.find([url]).get(url)
        if kept is not None or page is None or store.page_table.state(page) != State.ALIAS:
            return kept
        url = store.page_table.url(int(store.link_table.outlinks(page)[0]))
    return None
