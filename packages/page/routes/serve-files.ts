import type { ServerResponse } from "node:http";
import type { Answer } from "@curlew/gateway/fronts/http/answer.js";
import { paramOf, type Serve } from "@curlew/gateway/fronts/http/router.js";
import type { DescribedRoute } from "@curlew/gateway/fronts/openapi/index.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { PageFile, PageFiles } from "./files.js";

/** Only scripts and styles of the gateway's own files run, and they reach no other address. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Headers for everything that a browser may show. They are set on the raw response, so that errors and streams carry them too. */
export function harden(outgoing: ServerResponse): void {
  outgoing.setHeader("content-security-policy", POLICY);
  outgoing.setHeader("x-content-type-options", "nosniff");
  outgoing.setHeader("referrer-policy", "no-referrer");
  outgoing.setHeader("cross-origin-opener-policy", "same-origin");
  outgoing.setHeader("cross-origin-resource-policy", "same-origin");
}

type ReadFiles = () => Promise<PageFiles | undefined>;

const NOT_BUILT = "This gateway's page was not built. In the source folder, run: npm run build\n";

/** `/`: for browsers the page, which holds no data itself; for all others a list of the routes. */
export function serveIndex(files: ReadFiles, about: () => object): Serve {
  return async ({ incoming: { headers }, outgoing }) => {
    harden(outgoing);
    const vary = { vary: "accept, accept-encoding" };
    if (headers.accept?.includes("text/html") !== true) {
      const type = { "content-type": "application/json", ...vary };
      return { status: 200, headers: type, body: `${JSON.stringify(about(), null, 2)}\n` };
    }
    const built = await files();
    if (built === undefined) {
      return { status: 503, headers: { "content-type": "text/plain; charset=utf-8", ...vary }, body: NOT_BUILT };
    }
    return answer(built.index, headers["accept-encoding"], { "cache-control": "no-cache", ...vary });
  };
}

/** `/assets/:name`: the files that the page loads. Their names contain a content hash, so browsers may cache them forever. */
export function serveAsset(files: ReadFiles): Serve {
  return async (request) => {
    harden(request.outgoing);
    const file = (await files())?.assets.get(paramOf(request, "name"));
    if (file === undefined)
      throw new GatewayError("route_not_found", "The page has no such file. Load the page again.");
    const kept = { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" };
    return answer(file, request.incoming.headers["accept-encoding"], kept);
  };
}

function answer(
  { type, bytes, gzipped }: PageFile,
  encodings: string | string[] | undefined,
  headers: Readonly<Record<string, string>>,
): Answer {
  const isGzipped = gzipped !== undefined && takesGzip(String(encodings));
  return {
    status: 200,
    headers: { "content-type": type, ...headers, ...(isGzipped && { "content-encoding": "gzip" }) },
    body: isGzipped ? gzipped : bytes,
  };
}

function takesGzip(encodings: string): boolean {
  return encodings.split(",").some((each) => {
    const [name = "", weight = ""] = each.split(";");
    return name.trim() === "gzip" && !/^q=0(?:\.0*)?$/.test(weight.trim());
  });
}

/** The answer of `GET /` to programs: all routes, with a line about each. */
export function writeAbout(routes: readonly DescribedRoute[], version: string) {
  return {
    name: "Curlew",
    version,
    description: "/openapi.json",
    page: "Open this address in a browser, or run: curlew dashboard",
    routes: Object.fromEntries(routes.map(({ method, path, summary }) => [`${method.toUpperCase()} ${path}`, summary])),
  };
}
