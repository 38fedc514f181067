"""The lists of `minicrawl top`.

order     the order of pages
top_list  the first pages of a ranking that can be opened, each once
"""
