import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { serveHttp } from "../network/serve-http.js";

export interface Published {
  readonly version: string;
  /** The JavaScript with the descriptors. */
  readonly bundle: string;
  readonly integrity?: string;
  /** Instead of what holds the bundle. */
  readonly tarball?: Buffer;
  /** Where the registry says that the tarball is. */
  readonly origin?: string;
}

/** A registry of npm packages that has one version of @cursor/sdk. `asked` are the requests so far, with their headers. */
export async function serveRegistry({ version, bundle, integrity, tarball, origin }: Published) {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const packed = tarball ?? gzipSync(tarOf("package/dist/bundled/index.js", bundle));
  const url: string = await serveHttp(({ url: path = "", headers }, response) => {
    asked.push({ path, authorization: headers.authorization });
    if (path === "/npm/@cursor%2fsdk") {
      const dist = {
        tarball: `${origin ?? url}/npm/@cursor/sdk/-/sdk-${version}.tgz`,
        integrity: integrity ?? `sha512-${createHash("sha512").update(packed).digest("base64")}`,
      };
      return response.end(JSON.stringify({ "dist-tags": { latest: version }, versions: { [version]: { dist } } }));
    }
    response.statusCode = path === `/npm/@cursor/sdk/-/sdk-${version}.tgz` ? 200 : 404;
    response.end(response.statusCode === 200 ? packed : "");
  });
  return { url: `${url}/npm`, asked };
}

/** An archive with another file before this one. */
export function tarOf(name: string, text: string): Buffer {
  return Buffer.concat([fileOf("package/package.json", "{}"), fileOf(name, text), Buffer.alloc(1_024)]);
}

function fileOf(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write("ustar", 257);
  return Buffer.concat([head, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
