import type { Dialect } from "../dialect.js";
import { serverSentEvents } from "../frame.js";
import type { Front } from "../front.js";
import { anthropicError } from "../openapi/index.js";
import { claims } from "./claims.js";
import { countTokens } from "./count-tokens.js";
import { writeError } from "./error.js";
import { toFrame } from "./message.js";
import { createMessage } from "./openapi.js";
import { type MessagesOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { MessagesStreamEncoder } from "./stream.js";

const messages: Front<MessagesOptions> = {
  path: "/v1/messages",
  dialect: "anthropic-messages",
  description: createMessage,
  claims,
  parse: parseRequest,
  reply: writeReply,
  framing: serverSentEvents,
  encoder: (options, head, out) => new MessagesStreamEncoder(options, head, out),
  error: writeError,
  beat: toFrame({ type: "ping" }),
};

export const anthropicMessages: Dialect = {
  fronts: [messages],
  endpoints: [countTokens],
  errorShapes: [anthropicError],
  error: writeError,
  // Anthropic's clients expect Anthropic's form of errors at every address.
  isSpokenIn: (path, headers) =>
    /^(?:\/v1)?\/messages(?:\/|$)/.test(path) || headers["anthropic-version"] !== undefined,
};
