"""The lists of `minicrawl top`.

expected  the order of pages while some wait to be read
top_list  the first pages of a ranking, those that can be opened, each but once
variants  pages in several languages or versions
hubs      pages that people pass through: front pages of sections, contents
senders   who links to a page, and what each has sent it
"""
