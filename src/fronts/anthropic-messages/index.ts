import type { Front } from "../front.js";
import { writeError } from "./error.js";
import { toFrame } from "./frame.js";
import { type MessagesOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { MessagesStreamEncoder } from "./stream.js";

/** Anthropic's Messages. */
export const anthropicMessages: Front<MessagesOptions> = {
  path: "/v1/messages",
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, facts) => new MessagesStreamEncoder(options, facts),
  error: writeError,
  beat: toFrame({ type: "ping" }),
};
