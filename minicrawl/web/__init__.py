"""The web: its bytes in, values out, without a crawl (docs/python.md). Each serves on its own; none imports from one
further down this list.

urls         URLs: their normal form, host, origin and site
net          addresses, names, TLS, open files
http         one request, one answer
marks        where the tags of a page begin, and of what kinds they may be
fingerprint  digests, sketch and vocabulary, by which pages are compared
lines        the lines of a page, to know them again on other pages
kept_text    the packed form of a page's text
language     the language of a text
language_tags  whether a text is a language tag
html         links, Markdown and directives out of the bytes of a page
compare      what has changed between answers for a page
robots       the rules of a robots.txt
sitemaps     the URLs that a sitemap lists
"""
