# docker build -t minicrawl .
# docker build --build-arg EXTRAS=analysis,mcp -t minicrawl .
# docker build --build-arg EXTRAS=render --build-arg BASE=with-chromium -t minicrawl:chromium .
# mkdir -p data && docker run --rm -it --user "$(id -u)" -v "$PWD/data:/crawl/data" minicrawl crawl https://example.org/ --pages 1000
ARG BASE=plain
FROM debian:trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates python3.13-venv
ARG EXTRAS=""
COPY . /source
RUN python3.13 -m venv /tools && python3.13 -m venv --without-pip /venv \
    && /tools/bin/pip --python /venv/bin/python install --no-cache-dir --no-compile "/source${EXTRAS:+[$EXTRAS]}"
# What no crawl needs: tests and sources of libraries, names for debuggers.
RUN find /venv -type d -name tests -prune -exec rm -r {} + \
    && find /venv -type f -regextype egrep -regex '.*\.(c|cpp|h|pyx|pxd|pxi|pyi)' -delete \
    && find /venv -name '*.so*' -exec strip --strip-unneeded {} + \
    && python3.13 -m compileall -q /venv/lib/python3.13/site-packages/minicrawl \
    && mkdir -p /crawl/data

# Python, its libraries and certificates: no shell, no package manager.
FROM gcr.io/distroless/python3-debian13:nonroot AS plain

# For --render: Chromium comes as a package, with its libraries and fonts.
FROM debian:trixie-slim AS with-chromium
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell fonts-dejavu-core python3.13 \
    && rm -rf /var/lib/apt/lists/* && useradd --uid 65532 --user-group --create-home nonroot
USER nonroot

FROM ${BASE}
COPY --from=build /venv /venv
COPY --from=build --chown=nonroot:nonroot /crawl /crawl
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
WORKDIR /crawl
VOLUME /crawl/data
# A crawl answers, at its usual store. Other commands end by themselves, or serve: those want --no-healthcheck.
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s CMD ["minicrawl", "control", "status"]
ENTRYPOINT ["minicrawl"]
CMD ["--help"]
