"""What the bytes of a page say.

decode       bytes to text, as browsers do
parse        links, title and directives, and what else of a page is wanted
elements     which parser reads a page, so that none takes long over it
trees/       a page as a tree, whichever parser builds it
link_places  where on its page a link stands
kept_text    what is kept of a page's text
blocks       the blocks of a page's text, by which to tell what has changed
link_header  the header field Link
robots_directives  what meta elements and X-Robots-Tag allow
fingerprint  what two pages that say the same have in common
sketch       what a page says in 40 bytes, from which it can be told how alike two pages are
words        the words of a page, whatever their order
"""

from minicrawl.crawler.html.parse import parse_html

__all__ = ["parse_html"]
