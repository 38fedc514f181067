"""A web of hubs and authorities on five hosts, for seeds of a next crawl."""

from support.sites import Site

A, B, C, D, E = "http://www.a.test/", "http://docs.a.test/", "http://b.test/", "http://c.test/", "http://d.test/"


# Hubs on both hosts of a.test and on c.test; one link goes to an old address. A copy and a moved page are no hubs.
WEB: Site = {
    A: [A + "hub", B + "hub", A + "copy", A + "missing", A + "moved"],
    A + "hub": [B, C + "1", C + "2", D + "old"],
    A + "copy": [f'<link rel="canonical" href="{A}hub">', C + "1", C + "2", D + "3"],
    A + "moved": D + "hub",
    B + "hub": [A, C + "1", C + "2", D + "3"],
    B: [],
    C + "1": [C + "2"],
    C + "2": [C + "1"],
    D + "old": D + "3",
    D + "3": [],
    D + "hub": [C + "1", C + "2", D + "3", E + "4", E + "5"],
    E + "4": [D + "3"],
    E + "5": [],
}
