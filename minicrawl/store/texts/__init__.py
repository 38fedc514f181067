"""Texts of pages.

repeated_blocks  the blocks that a host repeats on its pages
writing          texts added with a commit
reading          the texts of a store's pages
difference       blocks that came, went and moved between two texts
"""
