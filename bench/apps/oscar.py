"""A shop made with django-oscar, of PyPI, with 300 products in twelve categories."""

import contextlib
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from apps.application import Application, free_port, names, prose, run, served

_SETTINGS = """
import os
from oscar.defaults import *
BASE_DIR = os.path.dirname(__file__)
SECRET_KEY, DEBUG, ALLOWED_HOSTS, SITE_ID, ROOT_URLCONF, USE_TZ = "x" * 60, False, ["*"], 1, "urls", True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL, MEDIA_URL, STATIC_ROOT = "/static/", "/media/", os.path.join(BASE_DIR, "static")
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(BASE_DIR, "shop.db")}}
WORDS = os.path.join(BASE_DIR, "words")
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": WORDS}}
OURS = "analytics checkout address shipping catalogue catalogue.reviews communication partner basket payment offer "
OURS += "order customer search voucher wishlists dashboard"
DESKS = "reports users orders catalogue offers partners pages ranges reviews vouchers communications shipping"
DJANGO = "admin auth contenttypes sessions messages staticfiles sites flatpages"
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in DJANGO.split()), "oscar.config.Shop",
    *(f"oscar.apps.{name}.apps.{name.title().replace('.', '')}Config" for name in OURS.split()),
    *(f"oscar.apps.dashboard.{name}.apps.{name.title()}DashboardConfig" for name in DESKS.split()),
    "widget_tweaks", "haystack", "treebeard", "django_tables2",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware", "django.middleware.common.CommonMiddleware",
]
PROCESSORS = ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"]
PROCESSORS += ["django.contrib.messages.context_processors.messages", "oscar.core.context_processors.metadata"]
PROCESSORS += ["oscar.apps.search.context_processors.search_form", "oscar.apps.checkout.context_processors.checkout"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": PROCESSORS}}]
"""
_URLS = """
from django.apps import apps
from django.contrib import admin
from django.urls import include, path
urlpatterns = [path("i18n/", include("django.conf.urls.i18n")), path("admin/", admin.site.urls)]
urlpatterns.append(path("", include(apps.get_app_config("oscar").urls[0])))
"""
_FILL = """
import json, sys
import django
django.setup()
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.apps.catalogue.models import Product, ProductClass
from oscar.apps.partner.models import Partner, StockRecord
kinds = [ProductClass.objects.create(name=name) for name in ("Thing", "Tool", "Toy")]
partner = Partner.objects.create(name="Maker")
for number, (title, text) in enumerate(json.load(sys.stdin)):
    product = Product.objects.create(title=title, description=text, product_class=kinds[number % 3])
    product.categories.add(create_from_breadcrumbs(f"Group {number % 4} > Kind {number % 12}"))
    stock = {"partner_sku": str(number), "price": 5 + number, "num_in_stock": 9}
    StockRecord.objects.create(product=product, partner=partner, **stock)
"""


@contextlib.contextmanager
def application(folder: Path, products: int = 300, seed: int = 5) -> Iterator[Application]:
    """The shop, installed and filled in `folder` unless it is there, and served in the block."""
    rng, programs = random.Random(seed), folder / "venv/bin"
    env = {"DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": str(folder)}
    if not (folder / "shop.db").exists():
        folder.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "venv", folder / "venv")
        run(programs / "pip", "install", "-q", "django-oscar==4.2.1", "gunicorn>=22", "whoosh-reloaded>=2.7")
        (folder / "settings.py").write_text(_SETTINGS)
        (folder / "wsgi.py").write_text(
            "from django.core.wsgi import get_wsgi_application\napplication = get_wsgi_application()\n"
        )
        run(programs / "django-admin", "migrate", cwd=folder, env=env)
        texts = [(title, prose(rng)) for title in names(rng, products)]
        run(programs / "python", "-c", _FILL, cwd=folder, env=env, given=json.dumps(texts))
        run(programs / "django-admin", "rebuild_index", "--noinput", cwd=folder, env=env)
    (folder / "urls.py").write_text(_URLS)
    port = free_port()
    front = f"http://127.0.0.1:{port}/"
    words = (programs / "gunicorn", "-w", "3", "-b", f"127.0.0.1:{port}", "--access-logfile", "-", "wsgi")
    with served(*words, waits_for=front, cwd=folder, env=env):
        yield Application("oscar", front, _page_of, frozenset(f"product/{number + 1}" for number in range(products)))


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    path = parts.path.removeprefix("/en-gb")
    if (product := re.fullmatch(r"/catalogue/[^/]*_(\d+)/", path)) and not parts.query:
        return f"product/{product[1]}"
    if order := re.fullmatch(r"/accounts/(orders/\d+)/|/admin/(order/order/\d+)/change/", path):
        return order[1] or order[2]
    is_list = path in {"/", "/catalogue/"} or path.startswith("/catalogue/category/")
    if is_list and re.fullmatch(r"(page=\d+)?", parts.query):
        return f"*{path}?{parts.query}"
    return None
