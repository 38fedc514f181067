"""A web whose pages change, each in one thing at a time, amid noise of eight kinds."""

import json
import random
from collections.abc import Sequence

from minicrawl.model import KINDS

NOISES = ("time", "advertisement", "counter", "session", "teasers", "latest", "age", "order")
CHANGES = dict(zip(KINDS, KINDS, strict=True)) | {"words of a link": "link", "new": "text", "gone": "text"}
"""What changes, and the kind of change that it is."""
_TEASERS = 40
_AGES = ("{} days ago", "vor {} Tagen", "il y a {} jours", "hace {} días", "{} дней назад", "{} 天前", "{}일 전")


def words(rng: random.Random, count: int) -> str:
    return " ".join(f"w{rng.randrange(5000)}" for _ in range(count))


class ChangingPage:
    """A page of a shop. `change` changes its content; each `html` has other noise. posts: the host's latest."""

    def __init__(self, number: int, rng: random.Random, noises: set[str], posts: Sequence[int] = range(10)) -> None:
        self.number, self.rng, self.noises, self.posts = number, rng, noises, posts
        self.paragraphs = [words(rng, rng.randrange(15, 60)) for _ in range(rng.randrange(6, 20))]
        self.links = [(f"/page/{rng.randrange(200)}", words(rng, 3)) for _ in range(4)]
        self.images = [f"/image/{rng.random()}.png" for _ in range(3)]
        self.values = dict.fromkeys(("title", "description", "canonical", "price", "author", "data"), f"{number}")
        self.is_hidden = self.is_sold = False
        self.views, self.spot = rng.randrange(10**5), rng.randrange(1, len(self.paragraphs))

    def change(self, what: str) -> None:
        rng, at = self.rng, self.rng.randrange(len(self.paragraphs))
        link, image = rng.randrange(len(self.links)), rng.randrange(len(self.images))
        match what:
            case "text":
                self.paragraphs[at] += f" {words(rng, 1)}"
            case "new":
                self.paragraphs.insert(at, words(rng, 30))
            case "gone" if len(self.paragraphs) > 6:
                del self.paragraphs[at]
            case "gone":
                self.change("new")
            case "link":
                self.links[link] = (f"/other/{rng.randrange(10**6)}", self.links[link][1])
            case "words of a link":
                self.links[link] = (self.links[link][0], words(rng, 3))
            case "image":
                self.images[image] = f"/image/{rng.random()}.png"
            case "robots":
                self.is_hidden = not self.is_hidden
            case "availability":
                self.is_sold = not self.is_sold
            case _:
                self.values[what] = f"{rng.randrange(10**6)}"

    def html(self) -> bytes:
        rng, noises, values = self.rng, self.noises, self.values
        session = f"?sid={rng.getrandbits(64):016x}" if "session" in noises else ""
        self.views += rng.randrange(1, 30)
        offer = {"price": values["price"], "availability": "OutOfStock" if self.is_sold else "InStock"}
        about = {"author": values["author"], "sku": values["data"]}
        data = json.dumps({"@type": "Product", "offers": offer} | about)
        parts = [f"<h1>Page {self.number}</h1>"]
        if "counter" in noises:
            parts.append(f"<p>{self.views} views</p>")
        for at, paragraph in enumerate(self.paragraphs):
            if at == min(self.spot, len(self.paragraphs) - 1) and "advertisement" in noises:
                ad = f"https://ads.test/{rng.random()}"
                parts += f"<div><img src='{ad}.gif'><p>{words(rng, 10)} ", f"<a href='{ad}'>Buy</a> or never</p></div>"
            parts.append(f"<p>{paragraph}")
            parts += [f" See <a href='{to}{session}'>{name}</a> for more" for to, name in self.links[at : at + 1]]
            parts += [f"<p><img src='{image}'>" for image in self.images[at - 2 : at - 1] if at >= 2]
        if "teasers" in noises:
            shown = rng.sample(range(_TEASERS), 4)
            parts.append("<h2>More</h2>")
            parts += [f"<li><a href='/page/{one}{session}'>Teaser {one}</a> and its words" for one in shown]
        if "latest" in noises:
            parts += [f"<li><a href='/post/{post}'>Post {post}</a> and its words" for post in self.posts[-10:]]
        if "age" in noises:
            parts.append(f"<p>Somebody wrote {_AGES[self.number % len(_AGES)].format(self.views // 80)}</p>")
        if "order" in noises:
            parts += [f"<li><img src='/offer/{one}.png'>Offer {one}" for one in rng.sample(range(4), 4)]
        footer = f"<p>Made in {rng.random():.6f} s</p>" if "time" in noises else ""
        return (
            f"<!doctype html><html lang=en><head><title>{values['title']}</title>"
            f"<meta name=description content='{values['description']}'>"
            f"<meta name=robots content={'noindex' if self.is_hidden else 'index'}>"
            f"<link rel=canonical href='/page/{values['canonical']}'>"
            f"<script type='application/ld+json'>{data}</script></head>"
            f"<body><nav><a href='/{session}'>Home</a></nav><main>{''.join(parts)}</main>"
            f"<footer>{footer}<p>All rights are ours</p></footer></body></html>"
        ).encode()
