import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import { type Answer, noteAnswer, noteLeft, toErrorAnswer, writeAnswer } from "./answer.js";
import { answerEarly } from "./answer-early.js";
import { watchClient } from "./client-watch.js";
import type { Front } from "./front.js";
import type { Journey, RouteDeps } from "./journey.js";
import { requireJson } from "./media-type.js";
import { parseJson } from "./parse-json.js";
import { readBody } from "./read-body.js";
import type { ServerEnv } from "./request-record.js";
import { streamReply } from "./stream-reply.js";
import { wholeReply } from "./whole-reply.js";
import { withWorkspace } from "./workspace-header.js";

/** The one handler of every front: read, parse, run, and write the answer whole or as it comes. */
export function serveFront<Request>(front: Front<Request>, deps: RouteDeps): Handler<ServerEnv> {
  return async (c) => {
    const { incoming, outgoing } = c.env;
    const { record } = c.var;
    const client = watchClient(incoming);
    const respond = async (answer: Answer) => {
      client.release();
      noteAnswer(record, answer, deps.clock.now());
      if (answer.status === 413 && !incoming.complete) await answerEarly(incoming, outgoing, deps.clock, answer);
      else writeAnswer(outgoing, answer);
    };
    try {
      requireJson(incoming.headers);
      const account = deps.accountOf?.(incoming.headers);
      const body = parseJson(await readBody(incoming, deps.bodyLimitBytes));
      const shelf = deps.gateway.shelf({ caller: deps.caller, account });
      const understood = front.parse(body, c.req.raw.headers, shelf);
      const turn = withWorkspace(understood.turn, incoming.headers);
      const hints = deps.warnOf?.(incoming.headers) ?? [];
      const parsed = {
        ...understood,
        turn: hints.length === 0 ? turn : { ...turn, warnings: [...hints, ...turn.warnings] },
      };
      record.stream = parsed.wantsStream;
      record.model = parsed.turn.model;
      const journey: Journey<Request> = { ...deps, front, parsed, client, record, account };
      if (parsed.wantsStream) await streamReply(journey, outgoing);
      else await respond(await wholeReply(journey));
    } catch (thrown) {
      if (!client.signal.aborted) await respond(toErrorAnswer(thrown, front.error, record));
    } finally {
      if (client.signal.aborted) noteLeft(record, outgoing);
      client.abandon(); // nothing goes on running for an answer that is over, however it ended
    }
    return RESPONSE_ALREADY_SENT;
  };
}
