// The page without a browser: its requests to the gateway, and its live stream.
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";

/** A link that opens the page once, as `curlew dashboard` gets it. */
export async function pageLink(url, home) {
  const { token } = JSON.parse(readFileSync(join(home, "run", `${new URL(url).port}.json`), "utf8"));
  const made = await fetch(`${url}/curlew/page-link`, { method: "POST", headers: { "x-curlew-control": token } });
  return (await made.json()).url;
}

/** Opens the page as a browser does with the link of `curlew dashboard`. */
export async function openPage({ url }, home) {
  const link = new URL(await pageLink(url, home)).hash.replace("#open=", "");
  const opened = await fetch(`${url}/admin/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ link }),
  });
  const [cookie] = opened.headers.get("set-cookie").split(";");
  const headers = { cookie, "x-curlew-page": (await opened.json()).proof, "sec-fetch-site": "same-origin" };
  return {
    async read(path) {
      const answer = await fetch(`${url}/admin/api/${path}`, { headers });
      const body = await answer.json();
      if (!answer.ok) throw new Error(`${path}: ${body.error.message}`);
      return body;
    },
    /** Resolves with the first message. */
    live: () =>
      new Promise((resolve, reject) => {
        let bytes = 0;
        const asked = get(`${url}/admin/api/live`, { headers, agent: false }, (answer) => {
          answer.on("error", () => {});
          answer.on("data", (piece) => {
            bytes += piece.length;
            resolve({ bytes: () => bytes, leave: () => asked.destroy() });
          });
        });
        asked.on("error", reject);
      }),
  };
}
