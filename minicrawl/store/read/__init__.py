"""The read side of a store, a file a subject. `minicrawl.store.reader.Store` puts them together.

tables      queries, and rows as named tuples              soundness   integrity checks of the file
page_table  pages, their answers and states, by number     link_table  outlinks, and links that are not followed
ranks       pages by importance and other rankings         hosts       hosts, robots.txt files
sitemaps    sitemaps, and URLs that wait in them           patterns    URL patterns of the trap defence
requisites  files that pages need to look as they do
facts       facts of pages for an audit
preferences preferences of pages on their use
refreshes   the refresh schedule, and changes of pages
site_table  sites, their doors, and links from other sites
audit_columns columns of all pages for an audit
recognised  fingerprints, soft 404s, session parameters, alternates
"""
