import { finishInSlices } from "../../system/clock.js";
import type { Endpoint } from "../dialect.js";
import { jsonAnswer } from "./answer.js";
import { readJson, requireJson } from "./body/read-body.js";
import { storeFor } from "./parse-request.js";
import { ownerOf } from "./rejoin/returning-client.js";
import type { RouteDeps } from "./route-deps.js";
import { paramOf, queryOf, type Serve } from "./router.js";
import { sendFrames } from "./serve-recorded.js";
import { askFor } from "./start-reply.js";

export function serveEndpoint({ description, answer, frames }: Endpoint, deps: RouteDeps): Serve {
  const takesBody = description.request !== undefined;
  return async (routed) => {
    const { incoming, outgoing, record } = routed;
    const { caller } = record;
    if (takesBody) requireJson(incoming.headers);
    const hold = deps.memory.hold();
    // The memory of a request is held until its answer is written, however slowly the client reads. A pipelined answer that waits
    // for another gets no event when the connection closes.
    const letGo = () => {
      outgoing.off("close", letGo);
      incoming.socket.off("close", letGo);
      hold.release();
    };
    outgoing.on("close", letGo);
    incoming.socket.on("close", letGo);
    const account = deps.accountOf?.(incoming.headers);
    const store = storeFor({ deps, caller, account, hold });
    const { "transfer-encoding": encoding, "content-length": length = 0 } = incoming.headers;
    const isEmpty = encoding === undefined && Number(length) === 0;
    const hasBody = takesBody && !(description.isRequestOptional && isEmpty);
    const { body } = hasBody ? await readJson(incoming, hold, deps) : {};
    const request = {
      body,
      headers: incoming.headers,
      store,
      param: (name: string) => paramOf(routed, name),
      query: (name: string) => queryOf(routed, name),
    };
    const asked = frames?.(request);
    const reply = asked && deps.background.find(ownerOf([account?.account, caller]), asked.id);
    if (reply !== undefined) {
      letGo(); // the frames are counted with the reply
      const { skipped } = asked ?? {};
      await askFor(incoming, (signal) => sendFrames({ reply, incoming, outgoing, signal, skipped }, record, deps));
      return undefined;
    }
    const answered = await answer({
      ...request,
      newId: deps.newId().replaceAll("-", ""),
      nowMs: deps.clock.now(),
      incoming,
      models: () => askFor(incoming, (signal) => deps.gateway.models(signal, { account })),
      model: (name) => askFor(incoming, (signal) => deps.gateway.model(name, signal, { account })),
    });
    if (answered.work !== undefined) await finishInSlices(answered.work);
    return jsonAnswer(answered.body, answered.headers);
  };
}
