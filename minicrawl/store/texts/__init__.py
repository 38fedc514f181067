"""Texts of pages.

kept_text        the stored form of a page's text, Markdown, packed and read
repeated_blocks  the blocks that a host repeats on its pages
writing          texts added with a commit
reading          the texts of a store's pages
difference       blocks that came, went and moved between two texts
"""
