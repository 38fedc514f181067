"""The demo web with pages that change at known rates, and servers that tell the truth about it or lie.

versions  the times at which a page changes; ETag, Last-Modified and 304, honest and not
web       the answer of every URL at a time, with noise that differs at every fetch
"""
