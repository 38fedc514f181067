"""What is the same page, and what is none.

duplicates       which page was the first to say what a page says
duplicate_kinds  version, translation, print, mirror or template
canonicals       whether a page is believed that names another
changes          what has changed of a page, beside what is another at every fetch
sessions         which parameters say who asks
not_found        what a host answers for pages that it does not have, and which pages are like that
soft404          which hosts answer for pages that they do not have
"""
