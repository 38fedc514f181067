"""Which URLs are traps: pages that a server makes up without end.

traps             the defence: verdicts on URLs, and what is learned from a page
rules             every rule, in a list
pattern_findings  what the pages and URLs of one pattern brought
known_patterns    the findings of all patterns, and which are shut
url_patterns      the pattern of a URL, and the date or number in it
page_content      what a page says
numbered_pages    numbered pages that only count
budgets           how many pages a registrable domain may have

Static rules look at a URL alone. Learned rules look at what the pages of one pattern brought so far. Only URLs that are
not known yet are judged, and pages whose first turn has come. No clock, no chance: the same pages in the same order
lead to the same verdicts, and rows take what was learned to the store and back.

rule                  a URL is dropped when
trap-long-path        it has more than 1,024 characters before the query      (BUbiNG: 2,048 in all)
trap-deep-path        it has more than 20 segments                            (Heritrix: 20)
trap-repeated-path    a run of segments comes three times in a row            (Heritrix: 3; BUbiNG: 3)
trap-long-query       its query has more than 1,024 characters
trap-many-parameters  it has more than 32 parameters
trap-duplicates       of the last 12 pages of its pattern 10 said what a page of the host had said before, as did more
                      than three quarters of all, and these pages lead nowhere else. Of the known URLs two or some
                      more are read all the same, and others while these say something new; they wait until then
trap-session          the same, and there are session ids in the pattern
trap-parameters       of 3 parameters or more, at least 128 URLs and 8 per page read were found on its own pages that
                      only combine known values, and these pages lead nowhere else
trap-calendar         its month is not among the 40 its pattern has, it was found on another date of the host, and
                      these pages lead nowhere else; or the pages of its pattern only count, from page to page
                      (numbered_pages.py), and lead nowhere else
trap-host-budget, -many-hosts, -address-budget
                      its domain, or all domains at its IP address, have more than others vouch for (budgets.py)

A pattern leads nowhere else when less than a quarter of its pages made URLs of other patterns known, which in turn say
something new: /a/1?id=x and /b/1?id=y do not save each other. Whole sites that are there twice or three times (http and
https, en/ and not) stay below three quarters of duplicates. Numbered articles that only have a link to the next one
are no calendar, for their words differ.
"""
