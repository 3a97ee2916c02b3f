import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import type { Shelf } from "../../gateway/index.js";
import type { Front, ParsedRequest } from "../front.js";
import { type Answer, noteAnswer, noteLeft, toErrorAnswer, writeAnswer } from "./answer.js";
import { answerEarly } from "./answer-early.js";
import { requireJson } from "./body/media-type.js";
import { readJson } from "./body/read-body.js";
import { watchClient } from "./client-watch.js";
import { heldShelf } from "./held-shelf.js";
import type { Journey, RouteDeps } from "./journey.js";
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
    const hold = deps.memory.hold();
    let isReading = false;
    const respond = async (answer: Answer) => {
      client.release();
      noteAnswer(record, answer, deps.clock.now());
      if (isReading && !incoming.complete) await answerEarly(incoming, outgoing, deps.clock, answer);
      else writeAnswer(outgoing, answer);
    };
    /** By itself, so that the JSON is not kept while the answer is made. */
    const parse = async (shelf: Shelf): Promise<ParsedRequest<Request>> => {
      isReading = true;
      const body = await readJson(incoming, hold, deps);
      isReading = false;
      return front.parse(body, c.req.raw.headers, shelf);
    };
    try {
      requireJson(incoming.headers);
      const account = deps.accountOf?.(incoming.headers);
      const shelf = deps.gateway.shelf({ caller: deps.caller, account });
      const understood = await parse(heldShelf(shelf, hold));
      const turn = withWorkspace(understood.turn, incoming.headers);
      const hints = deps.warnOf?.(incoming.headers) ?? [];
      const parsed = {
        ...understood,
        turn: hints.length === 0 ? turn : { ...turn, warnings: [...hints, ...turn.warnings] },
      };
      record.stream = parsed.wantsStream;
      record.model = parsed.turn.model;
      const journey: Journey<Request> = { ...deps, front, parsed, client, record, account, bodyBytes: hold.bytes };
      if (parsed.wantsStream) await streamReply(journey, outgoing);
      else await respond(await wholeReply(journey));
    } catch (thrown) {
      if (!client.signal.aborted) await respond(toErrorAnswer(thrown, front.error, record));
    } finally {
      if (client.signal.aborted) noteLeft(record, outgoing);
      hold.release();
      // Behind an answer that came to its end nothing is left running; whatever another has left running ends with it.
      if (record.outcome === "ok") client.release();
      else client.abandon();
    }
    return RESPONSE_ALREADY_SENT;
  };
}
