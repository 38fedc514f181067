"""A web to try minicrawl on: generated from a seed, served on this machine, its exact ranks known.

web        hosts, pages, links and traps; what a request is answered; the true importance of every URL
server     the same over real HTTP on loopback
compare    how well a crawl did, against that truth
"""
