"""HTML: from the bytes of a page to its links, text and metadata.

    >>> parse_html(b'<a href="/b">b</a>', "https://example.org/").outlinks
    ('https://example.org/b',)

decode         bytes to text, with the encoding that a browser would use
scripted       the page as a browser with scripts parses it
refresh        which refreshes are redirects, and which links
parse          a page's links, title, directives and text, in one pass
content        the main content among the blocks of a page's text
page_headers   robots directives, canonical URLs and languages that headers give
page_text      the record that is kept of a page's text, and hashes of its blocks
requisites     URLs of the files that a page or a style sheet needs to look as it does
facts          headings, images, names of parts and more that an audit checks
fingerprint    digests, sketch and vocabulary, by which pages are compared
parser_choice  the tree of a page, of few elements where that could take long
tree           the elements that a crawler tells apart, and the place of a link on its page
browser_tree   the parser of browsers, Lexbor
"""

from minicrawl.crawler.html.parse import parse_html

__all__ = ["parse_html"]
