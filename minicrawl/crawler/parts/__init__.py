"""Optional capabilities of a crawl, a file each: there it decides, notes, saves and explains.

all_parts            the list of them, in order
hook_failures        failures of hooks and extraction rules, counted
traps                pages in traps, and URLs with session parameters
duplicates           fingerprints, pages that name another as canonical, and one page under several names
soft_404s            pages that are errors in spite of status 200
alternates           pages in other languages: one is fetched first, the others last
usage                preferences of pages on their use; pages withheld for it
texts                the texts of pages
page_facts           facts of pages for an audit
items                items extracted from pages
repeated_blocks      the blocks that a host repeats on its pages
refresh              due times, change rates and validators of pages
archive              rows of archived answers
requisites           files that archived pages need to look as they do
cookies              cookies, from run to run
alerts               changes told to a command
"""
