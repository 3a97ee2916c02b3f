import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { END, EnvelopeReader, encodeEnvelope } from "../../packages/simulator/server/envelope.js";
import { CutPlan } from "./cut-plan.js";
import { type CutKind, type CuttingRelay, unavailable } from "./cutting-relay.js";
import { listenLocally } from "./local-server.js";

/** The same relay for runs over HTTP/1.1: appends pass unchanged, and the answers of runs break off. */
export async function startHttp1CuttingRelay(): Promise<CuttingRelay> {
  const plan = new CutPlan();
  let target = "";
  const server = createServer((near, answer) => {
    const { method, headers } = near;
    const far = request(new URL(near.url ?? "/", target), { method: method ?? "POST", headers, agent: false });
    far.on("error", () => answer.destroy());
    far.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
      if (!near.url?.endsWith("/RunSSE")) return void response.pipe(answer);
      const run = new RelayedAnswer(answer, response, plan);
      plan.runs.add(run);
      answer.once("close", () => plan.runs.delete(run));
    });
    answer.once("close", () => far.destroy());
    near.pipe(far);
  });
  return Object.assign(plan, {
    ...(await listenLocally(server)),
    connectTo(url: string) {
      target = url;
    },
  });
}

class RelayedAnswer {
  readonly #near: ServerResponse;
  readonly #far: IncomingMessage;
  readonly #reader = new EnvelopeReader();
  #isCut = false;

  constructor(near: ServerResponse, far: IncomingMessage, plan: CutPlan) {
    this.#near = near;
    this.#far = far;
    far.on("error", () => {});
    far.on("data", (chunk: Buffer) => this.#pass(chunk, plan));
    far.once("end", () => this.#isCut || near.end());
    far.once("close", () => this.#isCut || far.complete || near.destroy());
  }

  cut(kind: CutKind): void {
    this.#isCut = true;
    if (kind !== "silence") this.#far.destroy(); // the far side of a silent stream does not know that anything is wrong
    switch (kind) {
      case "reset":
      case "goaway":
        this.#near.destroy();
        break;
      case "end":
        this.#near.end();
        break;
      case "end-frame":
        this.#near.end(encodeEnvelope(END, Buffer.from("{}")));
        break;
      case "error":
        this.#near.end(encodeEnvelope(END, Buffer.from(JSON.stringify(unavailable))));
        break;
      case "silence":
    }
  }

  #pass(chunk: Buffer, plan: CutPlan): void {
    if (this.#isCut) return;
    const passing: Buffer[] = [];
    for (const { flags, payload } of this.#reader.push(chunk)) {
      const kind = plan.count(payload, flags);
      if (kind !== undefined) {
        this.#isCut = true;
        // Cuts only after everything before the cut has been sent.
        this.#near.write(Buffer.concat([...passing, Buffer.alloc(0)]), () => this.cut(kind));
        return;
      }
      passing.push(encodeEnvelope(flags, payload));
    }
    if (passing.length > 0) this.#near.write(Buffer.concat(passing));
  }
}
