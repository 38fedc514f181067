"""Distances of all pairs and strong components, kept up to date as links are inserted, by several algorithms side by
side.

n pages; m insertions; d[x, y] links on a shortest path

bfs, floyd-warshall  recomputed after each batch; so are components: tarjan, warshall
even-gazit  inserting (u, v):  d[x, y] = min(d[x, y], d[x, u] + 1 + d[v, y]); n**2 per link that shortens a path
pages       the same for all links of a page at once (rank/distances.py)
trees       a tree of shortest paths per source; a link shortens paths in subtrees only. All insertions together take
            n**3 log n at most. G. Ausiello, G. Italiano, A. Marchetti-Spaccamela, U. Nanni, "Incremental algorithms for
            minimal length paths", Journal of Algorithms 12 (1991)
closure     see `algorithms`

sequences   the links in the order of their insertion: drawn, from a file, and the worst case
algorithms  algorithms for distances and components, by name and problem, and scipy's for comparison
bench       trials of the algorithms, and claims about them
"""
