import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/** One streamed chat completion; resolves with its text and the time of its first content byte. */
export function chat(url, spec) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content: spec }] });
    const startedMs = performance.now();
    const sent = request(new URL("/v1/chat/completions", url), {
      agent,
      method: "POST",
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      let firstMs;
      const parts = [];
      response.on("data", (part) => {
        firstMs ??= performance.now() - startedMs;
        parts.push(part);
      });
      response.once("error", reject);
      response.once("end", () => {
        const raw = Buffer.concat(parts).toString("utf8");
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}: ${raw.slice(0, 300)}`));
        else resolve({ text: textOf(raw), firstMs, bytes: raw.length });
      });
    });
    sent.end(body);
  });
}

function textOf(raw) {
  let text = "";
  for (const line of raw.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    text += JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "";
  }
  return text;
}

/** A reader that never reads on after the head; returns how to let it go. */
export function stall(url, spec) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content: spec }] });
    const sent = request(new URL("/v1/chat/completions", url), {
      agent: false,
      method: "POST",
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.pause();
      response.on("error", () => {});
      resolve(() => sent.destroy());
    });
    sent.end(body);
  });
}
