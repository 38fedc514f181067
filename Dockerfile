# docker build -t minicrawl .
# mkdir -p data && docker run --rm -it --user "$(id -u)" -v "$PWD/data:/crawl/data" minicrawl crawl https://example.org/ --pages 1000
FROM python:3.13-slim AS build
COPY . /source
# No pip and no compiled files in the image: they would only make it larger.
RUN python -m venv --without-pip /venv \
    && pip --python /venv/bin/python install --no-cache-dir --no-compile '/source[demo]'

FROM python:3.13-slim
RUN useradd --uid 1000 --home-dir /crawl --create-home crawler && mkdir /crawl/data && chown crawler /crawl/data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER crawler
WORKDIR /crawl
VOLUME /crawl/data
ENTRYPOINT ["minicrawl"]
CMD ["--help"]
