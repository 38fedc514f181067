"""Texts of pages, kept in a file beside the store.

kept_text        the stored form of a page's text, Markdown, packed and read
repeated_blocks  the blocks that a host repeats on its pages
text_file        the file: a sequence of records
writing          texts added to the file with a commit; the file copied with its store, and made smaller
reading          the texts of a store's pages
difference       blocks that came, went and moved between two texts
"""
