// Each case has its own simulator, so that the counters belong to that case alone.
import { startCurlew } from "./start-curlew.js";

/** It reads the protocol strictly, as in all of Curlew's own tests, unless `isStrict` is false. */
export async function startSimulator(main, transport, flags = [], { isStrict = true } = {}) {
  const { firstLine: url, stop } = await startCurlew(main, [
    "simulate",
    "--port",
    "0",
    "--transport",
    transport,
    ...(isStrict ? ["--strict"] : []),
    ...flags,
  ]);
  if (!url.startsWith("http://")) throw new Error(`\`curlew simulate\` did not print its URL first: ${url}`);
  const get = async (path) => (await fetch(`${url}/__sim/${path}`)).json();
  const post = async (path, body) => void (await fetch(`${url}/__sim/${path}`, { method: "POST", body }));
  return {
    url,
    stats: () => get("stats"),
    requests: () => get("requests?last=500"),
    reset: () => post("reset"),
    configure: (changes) => post("config", JSON.stringify(changes)),
    stop,
  };
}
