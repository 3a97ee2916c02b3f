import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The header that browsers add to same-origin requests. */
const ownSite = { "sec-fetch-site": "same-origin" };

/** The secret of a link. */
export function secretIn(link: string): string {
  return new URL(link).hash.replace("#open=", "");
}

/** Asks a running gateway for a link, as `curlew dashboard` does. */
export async function newLink(home: string, url: string): Promise<string> {
  const run: { token: string } = JSON.parse(readFileSync(join(home, "run", `${new URL(url).port}.json`), "utf8"));
  const response = await fetch(`${url}/curlew/page-link`, {
    method: "POST",
    headers: { "x-curlew-control": run.token },
  });
  const answer: { url: string } = JSON.parse(await response.text());
  return answer.url;
}

/** Posts to the door, as the page does. */
export function askIn(url: string, question: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/admin/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", ...ownSite, ...headers },
    body: JSON.stringify(question),
  });
}

/** A browser in which the page is open. */
export interface PageClient {
  /** `name=value` */
  readonly cookie: string;
  readonly proof: string;
  /** The headers of every request of the page. */
  readonly headers: Readonly<Record<string, string>>;
  ask(path: string, init?: RequestInit & { readonly headers?: Record<string, string> }): Promise<Response>;
}

/** Opens the page with a link or a key. */
export async function openPage(
  url: string,
  question: unknown,
  headers: Record<string, string> = {},
): Promise<PageClient> {
  const response = await askIn(url, question, headers);
  if (!response.ok) throw new Error(`The page did not open: ${await response.text()}`);
  const { proof }: { proof: string } = JSON.parse(await response.text());
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  const shown = { ...ownSite, cookie, "x-curlew-page": proof };
  return {
    cookie,
    proof,
    headers: shown,
    ask: (path, init = {}) => fetch(url + path, { ...init, headers: { ...shown, ...init.headers } }),
  };
}
