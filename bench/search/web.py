"""A web of real documentation on loopback, for measuring search: anybody builds the same one.

    python bench/search/web.py bench/search/documentation.tsv FOLDER
    kill $(cat FOLDER/nginx.pid)

Debian's documentation packages are downloaded and unpacked below FOLDER (nothing is installed), and nginx serves each
site under its public name on an address of its own, so that links from one site to another work. Needs Debian 12's
apt-get and dpkg-deb, nginx and openssl. Rows of a web's file:

    package   names
    site      URL, path, folder (below /usr/share/doc/ unless it begins with /), page to begin with
    redirect  URL, regular expression of paths, target
    alias     URL, the site that it redirects to
"""

import argparse
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

HTTP, HTTPS = 8080, 8443
MOST_PAGES = 1_000
"""Pages that the crawl asks for, by site."""
NGINX = """{user}pid {folder}/nginx.pid; error_log {folder}/error.log error; worker_processes 2;
events {{ worker_connections 4096; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream; access_log off; charset off;
  client_body_temp_path {folder}/tmp; proxy_temp_path {folder}/tmp; fastcgi_temp_path {folder}/tmp;
  uwsgi_temp_path {folder}/tmp; scgi_temp_path {folder}/tmp;
  keepalive_requests 100000; absolute_redirect off; autoindex on;
  index index.html index.htm index.en.html;
  gzip on; gzip_types text/css application/javascript; gzip_comp_level 1;
  server_names_hash_max_size 4096; server_names_hash_bucket_size 128;
  ssl_certificate {folder}/tls.pem; ssl_certificate_key {folder}/tls.key; ssl_session_cache shared:S:20m;
{servers}
}}
"""


def rows_of(web: Path) -> dict[str, list[list[str]]]:
    """The rows of a web's file by kind."""
    rows: dict[str, list[list[str]]] = defaultdict(list)
    for line in web.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, *fields = line.split("\t")
            rows[kind].append(fields)
    return rows


def unpack(packages: list[str], folder: Path) -> None:
    """Download and unpack packages; those that are there are left as they are."""
    debs = folder / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    missing = [name for name in packages if not list(debs.glob(f"{name}_*.deb"))]
    if missing:
        subprocess.run(["apt-get", "download", *missing], cwd=debs, check=True)
    for name in packages:
        deb, done = next(debs.glob(f"{name}_*.deb")), folder / "unpacked" / name
        if not done.exists():
            subprocess.run(["dpkg-deb", "-x", str(deb), str(folder / "root")], check=True)
            done.parent.mkdir(exist_ok=True)
            done.touch()


def configure(rows: dict[str, list[list[str]]], folder: Path, network: str) -> None:
    """Write nginx.conf, a certificate, seeds.txt and crawl.txt, the options of the crawl."""
    mounts: dict[str, list[list[str]]] = defaultdict(list)
    for url, *mount in rows["site"]:
        mounts[url].append(mount)
    redirects: dict[str, str] = defaultdict(str)
    for url, pattern, target in rows["redirect"]:
        redirects[url] += f'    rewrite "{pattern}" {target} permanent;\n'
    servers, seeds, options, names = [], [], [], []
    for number, (url, parts) in enumerate(mounts.items(), 1):
        address, site = f"{network}.{number}", urlsplit(url)
        aliases = [urlsplit(alias).netloc for alias, other in rows["alias"] if other == url]
        names += (hosts := [site.netloc, *aliases])
        seeds += [url + home for *_, home in parts if home]
        body = body_of(url, parts, redirects[url], folder)
        servers.append(server(url, body, address, aliases))
        for host in hosts:
            options += [f"--connect-to {host}:80:{address}:{HTTP}", f"--connect-to {host}:443:{address}:{HTTPS}"]
    options.append(f"--pages {MOST_PAGES * len(mounts)}")
    (folder / "tmp").mkdir(exist_ok=True)
    # Root's nginx would read the files as another user, who may not enter root's home.
    user = "user root; " if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(user=user, folder=folder, servers="\n".join(servers)))
    (folder / "seeds.txt").write_text("".join(f"{seed}\n" for seed in seeds))
    crawl = [*options, f"--ca-file {folder / 'tls.pem'}", "--allow-private --delay 0 --search"]
    (folder / "crawl.txt").write_text("\n".join(crawl) + "\n")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "365", "-subj", "/CN=documentation",
         "-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names),
         "-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.pem")],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def body_of(url: str, parts: list[list[str]], redirects: str, folder: Path) -> str:
    """The directives of a site."""
    root = folder / "roots" / urlsplit(url).netloc
    packages = folder / "root" / "usr" / "share" / "doc"
    homes = [home for *_, home in parts if home not in ("", "/")]
    locations = f"    location = / {{ return 302 {homes[0]}; }}\n" if homes and parts[0][0] != "/" else ""
    for path, directory, _ in parts:
        target = folder / "root" / directory[1:] if directory.startswith("/") else packages / directory
        if not target.is_dir():
            raise SystemExit(f"{url}{path}: there is no folder {target}")
        if path == "/":
            root = target
        else:
            (root / path.strip("/")).mkdir(parents=True, exist_ok=True)
            locations += f"    location {path} {{ alias {target}/; }}\n"
    return f"    root {root};\n{redirects}{locations}"


def server(url: str, body: str, address: str, aliases: list[str]) -> str:
    """The blocks of a site and its aliases."""
    site, other = urlsplit(url), f"return 301 {url}$request_uri;"
    plain = body if site.scheme == "http" else f"    {other}\n"
    text = f"  server {{ listen {address}:{HTTP}; server_name {site.netloc};\n{plain}  }}\n"
    text += f"  server {{ listen {address}:{HTTPS} ssl; server_name {site.netloc};\n{body}  }}\n"
    if aliases:
        names = " ".join(aliases)
        text += f"  server {{ listen {address}:{HTTP}; listen {address}:{HTTPS} ssl; server_name {names}; {other} }}\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("web", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--network", default="127.0.3", help="the first three numbers of the sites' addresses")
    given = parser.parse_args()
    rows, folder = rows_of(given.web), given.folder.absolute()
    unpack([name for names in rows["package"] for name in names], folder)
    configure(rows, folder, given.network)
    subprocess.run(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], check=True)
    print(f"minicrawl crawl {folder}/seeds.txt $(cat {folder}/crawl.txt) --store {folder}/web.db")


if __name__ == "__main__":
    main()
