"""A web of two hosts of one shop, a forum and a newspaper, for what is told of sites and of rankings kept."""

from support.sites import Site

A, B = "http://www.shop.co.uk/", "http://blog.shop.co.uk/"


FORUM, NEWS = "http://forum.test/", "http://news.example/"


SITE: Site = {
    A: [B, "/cart", "<title>The Shop</title>"],
    A + "cart": [A],
    A + "old": A + "cart",
    B: [A, FORUM],
    FORUM: [A + "old", B, NEWS, "<title>Talk of shops and news</title>"],
    NEWS: [FORUM, A + "cart", "/page"],
    NEWS + "page": 404,
}
