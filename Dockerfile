# Builds the executable and copies only it onto Debian's smallest base: no Node, no npm, no sources in the image.
FROM node:22-slim AS build
WORKDIR /build
# Packages are installed first, because they change less often than the sources.
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/http1/package.json packages/http1/
COPY packages/vendors/package.json packages/vendors/
COPY apps/server/package.json apps/server/
COPY apps/console/package.json apps/console/
# `install --no-save` rather than `ci`, for the reason in scripts/lib/install.mjs.
RUN npm install --no-save --include=dev
COPY . .
RUN npm run build && mkdir /data

FROM debian:12-slim
# Bun has its own list of certificate authorities; the system's is for operators who add one (NODE_EXTRA_CA_CERTS).
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/dist/sluice /app/sluice
# An empty volume gets owner and mode from this folder. Group 0 may write, because some platforms choose any uid and this group.
COPY --from=build --chown=65532:0 --chmod=775 /data /data
USER 65532:65532
# Bun reads the last variable at its start: without it, only 256 requests to vendors run at a time.
ENV DATA_DIR=/data PORT=3000 BUN_CONFIG_MAX_HTTP_REQUESTS=65336
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["/app/sluice", "healthcheck"]
ENTRYPOINT ["/app/sluice"]
