"""The proving ground: the papers' experiments, run with the same `opic` code as the live crawl.

generate, evolve      webs drawn from a seed, and how they change
heap, compiled        the visit loops of `opic`, fast
methods, convergence  ways to work importance out; figures 2 and 3
windows               how much of the past should count; figures 4, 5 and 6
errors                other errors and costs than those of figures 2 and 3
adapting, newcomers   windows too small and too large, pages that rise, pages that are new
link_kinds            links inside sites and between them
settling, revisits    what the ledger gives beyond the paper
frontiers, batches,   crawl orders, those that rank all pages again and again, and one that is learnt from the graph
hosts, trees,
learnt_order,
anticipated_order,
orders
held_shares           the same on a given graph, as a crawl can: what it costs in importance
discovery, steering   holding a share of the fetches for pages never visited
refresh, due_pages    keeping pages fresh under a budget
together, keeping_up  discovery, refresh and change at once
surfer                whose ranking agrees with what authors of other sites link to
stability             rankings after pages are taken away
lecture               worked examples of link analysis
sites                 jumps to trusted sites and their doors, against jumps to any page
expected              how an early stop ranks pages, against the end of the crawl
graphbench/           distances and components while links arrive
figures               the experiments by name
chart                 what an experiment says (`minicrawl.report`), as files
"""
