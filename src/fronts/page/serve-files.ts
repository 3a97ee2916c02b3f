import type { Handler } from "hono";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "../http/server-env.js";
import type { PageFile, PageFiles } from "./files.js";
import { harden } from "./headers.js";

type ReadFiles = () => Promise<PageFiles | undefined>;

const NOT_BUILT = "The page of this gateway was not built. Where its sources are, run: npm run build\n";

/** `/`: the page for a browser, which says nothing by itself, and for all others what they can ask here. */
export function serveIndex(files: ReadFiles, about: () => object): Handler<ServerEnv> {
  return async (c) => {
    const { headers } = c.env.incoming;
    c.set("isRoutine", true);
    harden(c.env.outgoing);
    const vary = { vary: "accept, accept-encoding" };
    if (headers.accept?.includes("text/html") !== true) {
      const type = { "content-type": "application/json", ...vary };
      return new Response(`${JSON.stringify(about(), null, 2)}\n`, { headers: type });
    }
    const built = await files();
    if (built === undefined) {
      return new Response(NOT_BUILT, {
        status: 503,
        headers: { "content-type": "text/plain; charset=utf-8", ...vary },
      });
    }
    return answer(built.index, headers["accept-encoding"], { "cache-control": "no-cache", ...vary });
  };
}

/** `/assets/:name`: what the page loads. The names have a hash of what is inside, so browsers may keep the files for ever. */
export function serveAsset(files: ReadFiles): Handler<ServerEnv> {
  return async (c) => {
    c.set("isRoutine", true);
    harden(c.env.outgoing);
    const file = (await files())?.assets.get(c.req.param("name") ?? "");
    if (file === undefined)
      throw new GatewayError("route_not_found", "The page has no such file. Load the page again.");
    const kept = { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" };
    return answer(file, c.env.incoming.headers["accept-encoding"], kept);
  };
}

function answer(
  { type, bytes, gzipped }: PageFile,
  encodings: string | string[] | undefined,
  headers: Readonly<Record<string, string>>,
): Response {
  const isGzipped = gzipped !== undefined && takesGzip(String(encodings));
  return new Response(isGzipped ? gzipped : bytes, {
    headers: { "content-type": type, ...headers, ...(isGzipped && { "content-encoding": "gzip" }) },
  });
}

function takesGzip(encodings: string): boolean {
  return encodings.split(",").some((each) => {
    const [name = "", weight = ""] = each.split(";");
    return name.trim() === "gzip" && !/^q=0(?:\.0*)?$/.test(weight.trim());
  });
}
