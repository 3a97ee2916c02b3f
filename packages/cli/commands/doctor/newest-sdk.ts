import { createHash } from "node:crypto";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Network } from "@curlew/gateway/network/index.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { textUnlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { field, parseJson, textField } from "@curlew/gateway/turn/read-json.js";

const NPM = "https://registry.npmjs.org/";
const BUNDLE = "package/dist/bundled/index.js";
const LIMIT_MS = 60_000;
/** Several times the size of the SDK. */
const MAX_UNPACKED_BYTES = 96 * 1024 * 1024;

/** The registry that npm would ask. It gets no credential. @throws Error when it is no address */
export function registryOf({ env, homeDirectory }: Machine): URL {
  const file = textUnlessMissing(join(homeDirectory, ".npmrc")) ?? "";
  const ofScope = /^@cursor:registry\s*=\s*(\S+)/m.exec(file)?.[1];
  const usual = env.npm_config_registry || /^registry\s*=\s*(\S+)/m.exec(file)?.[1];
  const set = ofScope ?? usual ?? NPM;
  return new URL(set.endsWith("/") ? set : `${set}/`);
}

/** The newest @cursor/sdk on a registry, and its bundle, which is unpacked in memory; nothing of it is run. @throws Error */
export async function askForSdk(registry: URL, network: Pick<Network, "fetch">) {
  const fetched = async (url: URL) => {
    const { status, body } = await network.fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (status !== 200) throw new Error(`${url.host} answered with HTTP status ${status}`);
    return body;
  };
  const answer = parseJson((await fetched(new URL("@cursor%2fsdk", registry))).toString("utf8"));
  const version = textField(field(answer, "dist-tags"), "latest");
  if (version === "") throw new Error(`${registry.host} lists no @cursor/sdk`);
  const dist = field(field(field(answer, "versions"), version), "dist");
  return {
    version: `sdk-${version}`,
    async readBundle(): Promise<string> {
      const url = new URL(textField(dist, "tarball"), registry);
      if (url.origin !== registry.origin) throw new Error(`its package is on another host, ${url.host}`);
      const packed = await fetched(url);
      const hash = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
      if (!textField(dist, "integrity").split(" ").includes(hash))
        throw new Error("its package is not the one that the registry lists");
      return fileIn(gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }), BUNDLE);
    },
  };
}

/** A tar archive is a row of files, each padded to whole blocks, behind a block with its name and its size in octal digits. */
function fileIn(tar: Buffer, name: string): string {
  const BLOCK = 512;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const [path] = tar.toString("latin1", at, at + 100).split("\0");
    const size = Math.max(0, Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8) || 0);
    if (path === name) return tar.toString("utf8", at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`its package has no ${name}`);
}
