"""The papers' experiments, run with the same `opic` code as the live crawl.

webs          webs drawn from a seed, and changes to them
visits        visits of the books of `opic`, in the papers' orders
convergence   methods to compute importance; figures 2 and 3; properties of the book beyond the paper
windows       length of the history window; figures 4, 5 and 6
matrices      importance on line by other matrices
discovery     crawls that hold a share of discoveries: its accuracy, and its cost in importance
refresh       schedules that fetch pages again under a budget
seeds         cores of hubs and authorities as seeds, and crawls from them
sites         where walkers jump to, on the store of a crawl
lecture       worked examples of link analysis
graphbench/   distances of all pairs and components while links arrive
figures       the experiments of the first paper by name
chart         a `minicrawl.experiment.Result` as files
"""
