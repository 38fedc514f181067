"""The audit of a site: rules over a store, and their findings.

findings   severities, rules and findings
crawled    the pages and links of a store as the rules read them
auditing   apply rules to a store
own        rules of the user's own
ci_files   an audit as SARIF and JUnit
seeds      seeds that could not be read
links      links to pages that are not there, cannot be reached or have moved     redirects  chains, loops, dead ends
answers    soft 404s, slow and large pages    canonicals  pages that name another as their canonical
hreflang   versions in other languages        indexability  pages that search engines may not read or show
sitemaps   sitemaps against the crawl         duplicates  pages with the same text
reach      orphans, deep pages, dead ends
titles     titles and descriptions            headings    headings, language and viewport
images     images without alt, heavy ones     anchors     links to parts that pages do not have
security   http where https is meant          structured  structured data that cannot be read
"""
