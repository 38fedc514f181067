"""What every crawl does at an answer beside the visit itself, a file each: there it decides, notes, saves and explains.

all_steps   the list of them and of the parts that are there, in order
traps       pages in traps, and URLs with session parameters
duplicates  copies, pages under several names or with a canonical URL, and errors in spite of status 200
alternates  pages in other languages: one is fetched first, the others last
kept        what is kept of pages: texts, items, blocks that a host repeats; failures of hooks
refresh     due times, change rates and validators of pages
archive     rows of archived answers, and the files that archived pages need to look as they do
cookies     cookies, from run to run
"""
