"""The lists of `minicrawl top`.

expected  the order of pages while some wait to be read
top_list  the first pages of a ranking that can be opened, each once
variants  pages in several languages or versions
hubs      navigation pages: front pages of sections, contents
senders   pages that link to a page, and the units each has sent
"""
