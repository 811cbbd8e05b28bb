FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
# The image has no git, so pass the commit as a build argument for `wharf version --json`.
ARG WHARF_COMMIT
ARG WHARF_COMMIT_DATE
RUN node scripts/run.mjs scripts/binary.ts

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ffmpeg \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 wharf \
    && useradd --uid 10001 --gid wharf --home-dir /data --no-create-home --shell /usr/sbin/nologin wharf \
    && install --directory --owner=wharf --group=wharf --mode=0700 /data
COPY --chmod=0755 packaging/healthy.sh /usr/local/bin/healthy
COPY --from=build /src/dist/wharf-licenses.txt /usr/share/doc/wharf/licenses.txt
COPY --from=build --chmod=0755 /src/dist/wharf /usr/local/bin/wharf
# A numeric user lets Kubernetes verify that the container does not run as root.
USER 10001:10001
WORKDIR /data
VOLUME /data
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["healthy"]
ENTRYPOINT ["wharf"]
CMD ["serve"]
