import type { Account } from "../../core/index.js";
import { noteEnded, publish } from "../../turn/events/channels.js";
import type { Front, ReplyStore } from "../front.js";
import { type Answer, answerEarly, noteAnswer, noteLeft, toErrorAnswer, writeAnswer } from "./answer.js";
import { readJson, requireJson } from "./body/read-body.js";
import { parseRequest, storeFor } from "./parse-request.js";
import { identifierOf, ownerOf } from "./rejoin/returning-client.js";
import type { RouteDeps } from "./route-deps.js";
import type { RoutedRequest } from "./router.js";
import { serveRecorded } from "./serve-recorded.js";
import { type AcceptedRequest, watchClient, wholeReply } from "./start-reply.js";
import { streamReply } from "./stream-reply.js";

/** Serves a turn that was posted to a front. Never throws: failures are answered and recorded. */
export type ServeTurn = (request: RoutedRequest) => Promise<undefined>;

export function serveFront<Request>(front: Front<Request>, deps: RouteDeps): ServeTurn {
  return async ({ incoming, outgoing, record }) => {
    record.dialect = front.dialect;
    const client = watchClient(incoming);
    const hold = deps.memory.hold();
    let isReading = false;
    /** Whether the reply has a record of its own, because it may outlive this request. */
    let isHandedOn = false;
    const respond = async (answer: Answer) => {
      client.release();
      noteAnswer(record, answer, deps.clock.now());
      noteEnded(record, deps.clock.now());
      if (isReading && !incoming.complete) await answerEarly(incoming, outgoing, deps.clock, answer);
      else writeAnswer(outgoing, answer);
    };
    /** A separate function, so that the JSON can be freed while the answer is made. */
    const parse = async (store: ReplyStore, account: Account | undefined) => {
      isReading = true;
      const whose = [account?.account, record.caller];
      const identify = identifierOf(incoming, whose, deps.rejoinMs);
      const parseBody = (bytes: Buffer) => deps.parseBody(bytes, ownerOf(whose));
      const { body, looked: returning } = await readJson(incoming, hold, deps, identify, parseBody);
      isReading = false;
      return {
        parsed: parseRequest(front, { body, headers: incoming.headers, store }, deps, record.warnings),
        returning,
      };
    };
    try {
      requireJson(incoming.headers);
      const account = deps.accountOf?.(incoming.headers);
      const store = storeFor({ deps, caller: record.caller, account, hold });
      const { parsed, returning } = await parse(store, account);
      record.stream = parsed.wantsStream;
      record.askedModel = parsed.turn.model;
      record.bodyBytes = hold.bytes;
      const accepted: AcceptedRequest<Request> = { deps, front, parsed, client, record, account, store };
      isHandedOn = parsed.isBackground === true || returning !== undefined;
      if (!isHandedOn) publish("curlew:request:received", record);
      if (isHandedOn) await serveRecorded(accepted, returning, { incoming, outgoing, hold });
      else if (parsed.wantsStream) await streamReply(accepted, outgoing);
      else await respond(await wholeReply(accepted));
    } catch (thrown) {
      if (!client.signal.aborted) {
        if (isHandedOn) publish("curlew:request:received", record); // its reply was refused, and got no record of its own
        await respond(toErrorAnswer(thrown, front.error, record, deps.clock.now()));
      }
    } finally {
      if (client.signal.aborted) noteLeft(record, outgoing);
      if (!isHandedOn) noteEnded(record, deps.clock.now());
      hold.release();
      // After a complete answer nothing is left running. After any other end, this stops what still runs.
      if (record.outcome === "ok") client.release();
      else client.abandon();
    }
  };
}
