# Two images. The last stage is Sluice, for all of its processes. The command says which one runs:
#
#   (none)                        the API
#   dist/worker/main.js           the worker
#   dist/admin/main.js migrate    brings the schema up to date, then ends
#   dist/admin/main.js …          every other admin command
#
# The stage `upstream` is the local upstream, a model vendor for trying Sluice: `docker build --target upstream`.
#
# Debian, not Alpine: Temporal's native part is built for glibc.
FROM node:24.21.0-trixie-slim AS base
WORKDIR /app
COPY package.json package-lock.json ./

# What runs in production. Install scripts are off: no package needs one. Temporal ships its native part for
# every system, of which an image needs Linux, and the sources in Rust, which an image does not need.
FROM base AS dependencies
RUN npm ci --omit=dev --workspaces=false --ignore-scripts \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-linux-gnu' \
    -exec rm -r {} + \
  && rm -r node_modules/@temporalio/core-bridge/sdk-core/crates

FROM base AS build
COPY console/package.json console/
RUN npm ci --workspace=console --include-workspace-root --ignore-scripts
COPY . .
RUN npm run build

# Runs from its sources, with the packages of its workspace alone.
FROM base AS upstream
COPY upstream/package.json upstream/
RUN npm ci --omit=dev --workspace=upstream --ignore-scripts
COPY domain domain
COPY platform platform
COPY upstream upstream
COPY LICENSE NOTICE ./
# A checkout may keep its files from others, and the image runs as one of them.
RUN chmod -R a+rX domain platform upstream package.json LICENSE NOTICE
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node"]
CMD ["upstream/main.ts"]

FROM node:24.21.0-trixie-slim
WORKDIR /app
# New volumes take the owner of the folder that they are mounted on.
RUN install -d -o node -g node -m 0700 /var/lib/sluice /var/lib/sluice/spool /var/lib/sluice/outputs
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --chmod=0644 LICENSE NOTICE package.json ./
LABEL org.opencontainers.image.title="Sluice" \
  org.opencontainers.image.description="A self-hosted gateway to AI models" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV API_PROCESSES=auto
# By number, so that Kubernetes can tell that it is not root. It is the user `node` of the base image.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# Of the API. It asks whether the process lives: an outage of Postgres is no reason to restart it.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["--max-semi-space-size=32", "--no-allocation-site-pretenuring", "dist/api/main.js"]
