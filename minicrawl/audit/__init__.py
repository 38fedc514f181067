"""The audit of a site: rules over a store, and their findings.

findings             severities, rules and findings
crawled              the pages and links of a store as the rules read them
auditing             apply rules to a store
ci_files             an audit as SARIF and JUnit
link_rules           seeds, links, redirects, answers
search_engine_rules  canonicals, versions in other languages, indexability, sitemaps
page_rules           copies, ways to pages, titles, headings, images, security
"""
