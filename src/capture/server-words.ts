import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorDetails_Error, ErrorDetailsSchema } from "../gen/aiserver_v1_pb.js";

/** Words by which Cursor's errors are told apart (src/backends/cursor/errors.ts), and those of its usual messages. */
const phrases = [
  "Update Required",
  "outdated client, version, update to the latest version",
  "usage limit, quota, spend limit, spending limit, out of credits, usage, requests",
  "only use Auto, switch to Auto",
  "rate limit, too many requests, slow down, try again",
  "overload, overloaded, high load, high demand, at capacity",
  "blob not found",
  "too many computers",
  "context length, context window, conversation is too long, prompt is too long, input too long",
  "not logged in, log in again, sign in again, unauthorized",
  "region is not available for your team",
  "model not available, not found, not permitted",
  "providerStatusCode, retryAfter",
  "Error, error, resource_exhausted, invalid_argument, tool, schema, provider",
];

const codes = Object.values(Code).flatMap((code) => (typeof code === "number" ? [codeToString(code)] : []));

/** What an error may show: Cursor's own words, which no person wrote. */
export const errorWords: readonly string[] = phrases;

/** Texts that stand for a number: codes and names of types and of errors. */
export const errorTexts: readonly string[] = [
  ...codes,
  ErrorDetailsSchema.typeName,
  ...Object.keys(ErrorDetails_Error).map((name) => `ERROR_${name}`),
];
