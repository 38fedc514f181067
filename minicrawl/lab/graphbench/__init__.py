"""Graph algorithms that follow a graph as it grows, against finding everything anew.

The setting of SPAWC, a tool that watches web graphs grow: links are inserted one at a time, and distances of all
pairs and strong components are known after each.

n pages; m insertions; d[x, y] links on a shortest path; reach[x] pages that x reaches, a row of bits

distances
    even-gazit  inserting (u, v):  d[x, y] = min(d[x, y], d[x, u] + 1 + d[v, y]); n**2 a link that shortens anything
    pages       the same for all links of a page at once (rank/growing_distances.py)
    trees       a tree of shortest paths per source; a link shortens paths in subtrees only. All insertions together
                take n**3 log n at most. G. Ausiello, G. Italiano, A. Marchetti-Spaccamela, U. Nanni, "Incremental
                algorithms for minimal length paths", Journal of Algorithms 12 (1991)
    queues      a queue of links for every source and page, those with the farthest targets first; the same authors
    anew        breadth-first search from every page, or Floyd and Warshall's algorithm, after each batch
components
    closure     inserting (u, v):  reach[x] |= reach[v] for all x that reach u; those that then reach each other merge
    anew        Tarjan's algorithm (scipy, in Pearce's form), after each insertion
    schedule    the same, each time the links have grown by a half: the live crawl's way
    merging     links arrive in batches; components are found of the graph of components, whose inner links are dropped

What is done anew after each insertion is measured at some of them and multiplied; rows say at how many.

sequences      the links, in the order they are inserted: drawn, of a file, and the hardest there are
distances      as trees, and by scipy          queues     with queues of links       anew   found anew
algorithms     all that follow distances, by name          bench      side by side on one graph, with claims
components     strong ones, by three           arrivals   components of a web while a crawl reads it
measuring      when a growing graph is looked at, and what that takes
runs           what an algorithm takes for a sequence, and whether it agrees with scipy
experiment     all kinds of sequences, and what they say
"""
