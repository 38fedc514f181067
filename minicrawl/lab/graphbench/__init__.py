"""Distances of all pairs and strong components, kept up to date as links are inserted, by several algorithms side by
side: GraphBench of J. Shantz, "SPAWC: A Scalable Parallel Web Crawler" (2010).

n pages; m insertions; d[x, y] links on a shortest path

bfs, floyd-warshall  recomputed after each batch; so are components: tarjan, warshall
rows        Algorithm 1 of the document; n**2 per link at most. Inserting (u, v):
            d[u, y] = min(d[u, y], 1 + d[v, y]), then d[x, y] = min(d[x, y], d[x, u] + d[u, y]) where x reaches u
trees       a tree of shortest paths per source; a link shortens paths in subtrees only. All insertions together take
            n**3 log n at most. G. Ausiello, G. Italiano, A. Marchetti-Spaccamela, U. Nanni, "Incremental algorithms for
            minimal length paths", Journal of Algorithms 12 (1991)
closure     see `algorithms`

sequences   the links in the order of their insertion: of the document's twelve graphs, and of files
algorithms  algorithms for distances and components, by name and problem, and scipy's for comparison
bench       trials of the algorithms, and claims about them
figures     the document's figures 9, 12 and 14
"""
