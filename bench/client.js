import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/**
 * Sends one request. Resolves with the text of the reply, the time of its first byte, and the continuity that the gateway
 * reports. `onFrames` is called with the number of frames in each chunk of a streamed reply.
 */
export function send(target, dialect, body, onFrames) {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const sent = post(target, dialect, body, agent);
    sent.once("error", reject);
    sent.once("response", (response) => {
      let firstMs;
      const parts = [];
      response.on("data", (part) => {
        firstMs ??= performance.now() - startedMs;
        parts.push(part);
        onFrames?.(countFrames(part));
      });
      response.once("error", reject);
      response.once("end", () => {
        const raw = Buffer.concat(parts).toString("utf8");
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}: ${raw.slice(0, 300)}`));
        else resolve({ raw, firstMs, continuity: response.headers["x-curlew-continuity"] });
      });
    });
  });
}

/** A client that reads nothing after the head. Resolves with a function that ends it. */
export function stall(target, dialect, body) {
  return new Promise((resolve, reject) => {
    const sent = post(target, dialect, body, false);
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.pause();
      response.on("error", () => {});
      resolve(() => sent.destroy());
    });
  });
}

/** Sends a request. Other gateways may need headers of their own and another name for the model. */
function post({ url, headers = {}, model }, dialect, body, withAgent) {
  const sent = model === undefined ? body : body.replace('"model":"auto"', `"model":${JSON.stringify(model)}`);
  const outgoing = request(new URL(dialect.path, url), {
    agent: withAgent,
    method: "POST",
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(sent), ...headers },
  });
  outgoing.end(sent);
  return outgoing;
}

function countFrames(part) {
  let count = 0;
  for (let at = part.indexOf("\n\n"); at !== -1; at = part.indexOf("\n\n", at + 2)) count++;
  return count;
}

/** The model's text in a reply, whole or streamed. */
export function textOf(dialect, raw) {
  if (raw.startsWith("{")) return dialect.wholeText(JSON.parse(raw));
  let text = "";
  for (const line of raw.split("\n")) if (line.startsWith("data: {")) text += dialect.textOf(JSON.parse(line.slice(6)));
  return text;
}
