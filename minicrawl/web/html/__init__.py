"""HTML: from the bytes of a page to its links, text and metadata.

    >>> parse_html(b'<a href="/b">b</a>', "https://example.org/").outlinks
    ('https://example.org/b',)

decode         bytes to text, with the encoding that a browser would use
parse          a page's links, title, directives and text, in one pass
blocks         the words of a page in one walk, block by block
markdown       blocks as Markdown
formula        MathML as TeX
content        the main content among the blocks of a page's text
page_headers   robots directives, canonical URLs, languages and refreshes
forms          the forms of a page, and which of them logs in
declared       what a page says of itself: author, site, licence, dates
plain_text     texts that are not HTML, as pages
json_ld        the values of a script of JSON-LD
facts          what an audit checks of a page, and the files that it needs to look as it does
parser_choice  the tree of a page, of few elements where that could take long; as a browser with scripts parses it
tree           the elements that a crawler tells apart, the place of a link, hashes of blocks
browser_tree   the parser of browsers, Lexbor
"""

from minicrawl.web.html.parse import parse_html

__all__ = ["parse_html"]
