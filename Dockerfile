# The gateway alone: no shell, no npm, no rights, and nothing to write to but /data.
#   docker build -t curlew .
# The base images are pinned by their index. To renew one: docker buildx imagetools inspect IMAGE:TAG

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /curlew
COPY . .
# The packages of this repository are in the bundle, and npm leaves links to them.
RUN npm ci --no-audit --no-fund \
  && npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -r node_modules/@curlew \
  && mkdir /data

FROM gcr.io/distroless/nodejs22-debian12:nonroot@sha256:13593b7570658e8477de39e2f4a1dd25db2f836d68a0ba771251572d23bb4f8e
WORKDIR /curlew
COPY --from=build /curlew/package.json /curlew/LICENSE ./
COPY --from=build /curlew/node_modules ./node_modules
COPY --from=build /curlew/dist ./dist
COPY --from=build --chown=65532:65532 --chmod=700 /data /data

# Every client that reaches the port must show a key: without CURLEW_KEY or CURLEW_KEY_FILE, Curlew does not start on this address.
ENV HOST=0.0.0.0 PORT=32124 CURLEW_HOME=/data CURLEW_CREDENTIAL_STORE=file NODE_ENV=production
USER 65532:65532
VOLUME /data
EXPOSE 32124
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "dist/main.js"]
CMD ["serve"]
