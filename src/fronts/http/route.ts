import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import { collect } from "../../turn/collect.js";
import type { Front, ParsedRequest, ReplyStore } from "../front.js";
import { turnUsageHeader } from "../parts/usage.js";
import { type Answer, answerEarly, noteAnswer, noteLeft, toErrorAnswer, writeAnswer } from "./answer.js";
import { requireJson } from "./body/media-type.js";
import { readJson } from "./body/read-body.js";
import { watchClient } from "./client-watch.js";
import { parseRequest, toClientRequest } from "./parse-request.js";
import type { ServerEnv } from "./request-record.js";
import { storeFor } from "./request-store.js";
import type { RouteDeps } from "./route-deps.js";
import { type AcceptedRequest, startReply } from "./start-reply.js";
import { streamReply } from "./stream-reply.js";

/** The handler of every front: it reads, parses and runs a request, and writes the answer whole or as a stream. */
export function serveFront<Request>(front: Front<Request>, deps: RouteDeps): Handler<ServerEnv> {
  return async (c) => {
    const { incoming, outgoing } = c.env;
    const { record } = c.var;
    const client = watchClient(incoming);
    const hold = deps.memory.hold();
    let isReading = false;
    const respond = async (answer: Answer) => {
      client.release();
      noteAnswer(record, answer, deps.clock.now());
      if (isReading && !incoming.complete) await answerEarly(incoming, outgoing, deps.clock, answer);
      else writeAnswer(outgoing, answer);
    };
    /** A function of its own, so that the JSON is not kept while the answer is made. */
    const parse = async (store: ReplyStore): Promise<ParsedRequest<Request>> => {
      isReading = true;
      const body = await readJson(incoming, hold, deps);
      isReading = false;
      return parseRequest(front, toClientRequest(c, body, store), deps);
    };
    try {
      requireJson(incoming.headers);
      const account = deps.accountOf?.(incoming.headers);
      const store = storeFor({ deps, account, hold });
      const parsed = await parse(store);
      record.stream = parsed.wantsStream;
      record.model = parsed.turn.model;
      const bodyBytes = hold.bytes;
      const accepted: AcceptedRequest<Request> = { deps, front, parsed, client, record, account, store, bodyBytes };
      if (parsed.wantsStream) await streamReply(accepted, outgoing);
      else await respond(await wholeReply(accepted));
    } catch (thrown) {
      if (!client.signal.aborted) await respond(toErrorAnswer(thrown, front.error, record, deps.clock.now()));
    } finally {
      if (client.signal.aborted) noteLeft(record, outgoing);
      hold.release();
      // After a complete answer nothing is left running. After any other end, this stops what still runs.
      if (record.outcome === "ok") client.release();
      else client.abandon();
    }
    return RESPONSE_ALREADY_SENT;
  };
}

/** Answers a client that waits for the whole reply. */
async function wholeReply<Request>(accepted: AcceptedRequest<Request>): Promise<Answer> {
  const { deps, front, parsed, store } = accepted;
  const { events, head, headers } = await startReply(accepted);
  const result = await collect(events);
  const { usage, turnUsage } = result;
  const reply = front.reply(result, parsed.request, head, deps.clock.now());
  front.keep?.(reply, parsed.request, store);
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot send these in its headers: they are known only at the end.
      ...(usage?.estimated === true && { "x-curlew-usage": "estimated" }),
      ...(usage !== undefined && turnUsageHeader(usage, turnUsage)),
    },
    text: JSON.stringify(reply),
  };
}
