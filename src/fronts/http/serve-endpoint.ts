import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import type { Endpoint } from "../dialect.js";
import { readJson, requireJson } from "./body/read-body.js";
import { storeFor, toAddressedRequest } from "./parse-request.js";
import { ownerOf } from "./rejoin/returning-client.js";
import type { RouteDeps } from "./route-deps.js";
import { sendFrames } from "./serve-background.js";
import type { ServerEnv } from "./server-env.js";
import { askFor } from "./start-reply.js";

export function serveEndpoint({ description, answer, frames }: Endpoint, deps: RouteDeps): Handler<ServerEnv> {
  const takesBody = description.request !== undefined;
  return async (c) => {
    const { incoming, outgoing } = c.env;
    const { caller } = c.var.record;
    if (takesBody) requireJson(incoming.headers);
    const hold = deps.memory.hold();
    // The memory of a request is held until its answer is written, however slowly the client reads. An answer that waits for
    // another on the same connection gets no event when the connection closes.
    const letGo = () => {
      outgoing.off("close", letGo);
      incoming.socket.off("close", letGo);
      hold.release();
    };
    outgoing.on("close", letGo);
    incoming.socket.on("close", letGo);
    const account = deps.accountOf?.(incoming.headers);
    const store = storeFor({ deps, caller, account, hold });
    const body = takesBody ? await readJson(incoming, hold, deps) : undefined;
    const request = toAddressedRequest(c, body, store);
    const asked = frames?.(request);
    const reply = asked && deps.background.find(ownerOf([account?.account, caller]), asked.id);
    if (reply !== undefined) {
      letGo(); // the frames are counted with the reply
      const { skipped } = asked ?? {};
      await askFor(incoming, (signal) =>
        sendFrames({ reply, incoming, outgoing, signal, skipped }, c.var.record, deps),
      );
      return RESPONSE_ALREADY_SENT;
    }
    const answered = await answer({
      ...request,
      incoming,
      models: () => askFor(incoming, (signal) => deps.gateway.models(signal, { account })),
      model: (name) => askFor(incoming, (signal) => deps.gateway.model(name, signal, { account })),
    });
    return Response.json(answered.body, { headers: { ...answered.headers } });
  };
}
