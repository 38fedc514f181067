"""The papers' experiments, run with the same `opic` code as the live crawl.

webs          webs drawn from a seed, and changes to them
heap          an indexed heap, compiled
compiled      the visit loops of `opic`, compiled
convergence   methods to compute importance; figures 2 and 3
windows       length of the history window; figures 4, 5 and 6
matrices      importance on line by other matrices
settling      properties of the ledger beyond the paper
steering      crawls that hold a share of discoveries
discovery     accuracy of that share, and its cost in importance
refresh       schedules that fetch pages again under a budget
lecture       worked examples of link analysis
graphbench/   distances of all pairs and components while links arrive
figures       experiments by name
chart         a `minicrawl.experiment.Result` as files
"""
