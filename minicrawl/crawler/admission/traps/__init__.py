"""Crawler traps: pages that a server makes up without end.

traps         the defence: verdicts on URLs, learning from pages
rules         the rules that look at a URL alone
findings      the evidence gathered on each URL pattern, kept between runs, and the rules that look at it
url_patterns  the pattern of a URL, and the date or number in it
budgets       the number of pages that a site may have

Static rules look at a URL alone. Learned rules look at the findings on the pages of one pattern so far. Only unknown
URLs are judged, and pages whose first turn has come. No clock, no randomness: the same pages in the same order lead to
the same verdicts, and all that was learned goes to the store and back.

rule                  a URL is dropped when
trap-long-url         it has more than 1,024 characters before the query or in it, 20 segments (Heritrix: 20) or 32
                      parameters
trap-repeated-path    a run of segments comes three times in a row            (Heritrix: 3; BUbiNG: 3)
trap-repeated-parameter
                      it has a parameter more than three times
trap-escaped-again    it was escaped twice or more: %2525, &amp;amp;
trap-duplicates       10 of the last 12 pages of its pattern repeated content of another page of the host, so did more
                      than three quarters of all of them, and these pages lead nowhere else. A few known URLs of the
                      pattern are still read as samples; the others wait until the last page read has new content
trap-session          the same, and there are session ids in the pattern
trap-parameters       it has 3 parameters or more, its pattern's own pages linked to at least 128 URLs, and 8 per page
                      read, that only combine known values, and these pages lead nowhere else
trap-calendar         its month is not among the 40 known ones of its pattern, it was found on a page with another date,
                      and these pages lead nowhere else; or the pages of its pattern only count from page to page
                      (findings.py), and lead nowhere else
trap-host-budget, trap-many-hosts
                      its site has more pages, or hosts, than others vouch for (budgets.py)

A pattern leads nowhere else when less than a quarter of its pages made URLs known of other patterns with new content:
/a/1?id=x and /b/1?id=y do not save each other. Sites that exist two or three times (http and https, with and without
en/) stay below three quarters of duplicates. Numbered articles that only link to the next one are no calendar: their
words differ.
"""
