"""The demo web with pages that change at known rates, and servers that tell the truth about it or lie.

versions    when a page changes            noise    what differs at every fetch though nothing has changed
manners     ETag, Last-Modified and 304, rightly and wrongly
web         what every URL answers at a time
truth       what a bench may ask: every URL's rate, kind and last change
"""
