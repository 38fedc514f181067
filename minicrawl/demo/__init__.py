"""A web to try minicrawl on: generated from a seed, served on this machine, its exact ranks known.

web        what every URL answers; the true importance of every URL
weaving    hosts, pages and links, drawn from a seed       words      what hosts and pages are called
resources  what a URL can be                               rendering  pages as HTML
months     the calendar                                    traps      pages made up without end
server     the web over real HTTP on loopback
changing/  the same web, its pages changing at known rates
compare    how well a crawl did, against that truth
"""
