# docker build -t answerable .
# The versions are those of requirements/, the core's by their hashes too. What follows it is the workspace, at /data.
FROM python:3.12-slim AS build
COPY . /src
WORKDIR /src
RUN python -m venv /opt/answerable && grep -hoE '^[A-Za-z0-9._-]+==[^ ;]+' requirements/*.txt > /tmp/versions.txt
RUN /opt/answerable/bin/pip install --no-cache-dir --require-hashes -r requirements/core.txt \
    && /opt/answerable/bin/pip install --no-cache-dir -c /tmp/versions.txt '.[serve,mcp,watch]'

FROM python:3.12-slim
RUN useradd --uid 10001 --home-dir /data --create-home answerable
COPY --from=build /opt/answerable /opt/answerable
ENV PATH=/opt/answerable/bin:$PATH PYTHONDONTWRITEBYTECODE=1 ANSWERABLE_WORKSPACE=/data/workspace \
    ANSWERABLE_SERVE_HOST=0.0.0.0
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8642
# Of the two signals the one that every command ends at, also as the first process, which no signal ends by default.
STOPSIGNAL SIGINT
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8642/v1/health', timeout=4)"]
ENTRYPOINT ["answerable"]
CMD ["serve"]
