"""Archives, as a store and its files have them together.

opening    the archive of a crawl: its folder, and what the store knows of it
selection  which sites are worth an archive
"""
