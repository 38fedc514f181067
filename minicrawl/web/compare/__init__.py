"""What has changed on a page: one comparison for `minicrawl watch`, which keeps lines, and for pages that are fetched
again, of which hashes are kept (docs/watch.md, docs/refresh.md).

view        what is compared of an answer
documents   the lines of JSON, feeds, CSV and plain text
comparing   the verdict on the answers of one moment
hashes      the lines of a view in four bytes each
"""
