"""What the bytes of a page say.

decode       bytes to text, as browsers do
elements     the elements that matter to a crawler: the only module with parsers of HTML
parse        links, anchors, title and directives
link_header  the header field Link
fingerprint  what two pages that say the same have in common
sketch       what a page says in 40 bytes, from which it can be told how alike two pages are
words        the words of a page, whatever their order
"""

from minicrawl.crawler.html.parse import parse_html

__all__ = ["parse_html"]
