import type { Recorder } from "../backends/recorder.js";
import type { Network } from "../network/index.js";

/** The same network, whose single requests are recorded. Streams are recorded where they are cut into messages. */
export function recordedNetwork(network: Network, recorder: Recorder): Network {
  return {
    ...network,
    async fetch(url, init = {}) {
      const { method = "GET", headers = {}, body = "" } = init;
      const record = recorder.open({ method, path: new URL(url).pathname, http: "1.1", headers });
      if (body.length > 0) record.sent(Buffer.from(body));
      try {
        const response = await network.fetch(url, init);
        record.answered(response.status, Object.fromEntries(response.headers));
        const bytes = Buffer.from(await response.arrayBuffer());
        if (bytes.length > 0) record.received(bytes);
        record.ended("complete");
        const { status, headers: received } = response;
        return new Response(bytes.length === 0 ? null : bytes, { status, headers: received });
      } catch (thrown) {
        record.ended(init.signal?.aborted === true ? "canceled" : "unreachable");
        throw thrown;
      }
    },
  };
}
