"""What users take out of a page by selectors, where the page is parsed."""

from dataclasses import replace

from minicrawl import log
from minicrawl.crawler.html.decode import as_utf8, encoding_of
from minicrawl.crawler.html.parser_choice import Marks, may_explode, within_limit
from minicrawl.extract.document import Document
from minicrawl.extract.gathering import Asked, gather
from minicrawl.model import ParsedPage, Wanted


def with_gathered(parsed: ParsedPage, body: bytes, url: str, content_type: str | None, wanted: Wanted) -> ParsedPage:
    """The parsed page with what is taken out of it. body: without its content coding."""
    html = shown_html(body, url, content_type)
    if html is None:
        return parsed
    found = gather(Asked(wanted.extract, wanted.structured, wanted.extract_rules), Document(html), url)
    return replace(parsed, items=found.items, hook_failures=found.failures)


def shown_html(body: bytes, url: str, content_type: str | None) -> bytes | None:
    """A page in UTF-8, as selectors and hooks see it; None of one that a browser's parser would choke on."""
    html = within_limit(as_utf8(body, encoding_of(body, content_type)))
    if may_explode(Marks(html)):
        log.page_not_extracted(url=url)
        return None
    return html
