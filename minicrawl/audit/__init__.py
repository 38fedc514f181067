"""The audit of a site: rules, each a query of a store, and their findings.

rules     what a rule is; rules.toml has those that come with minicrawl, docs/audit.md says how to add others
crawled   the tables that rules ask, beside those of the store
auditing  apply rules to a store
causes    findings with one cause
words     an audit in words
ci_files  an audit as SARIF and JUnit
"""
