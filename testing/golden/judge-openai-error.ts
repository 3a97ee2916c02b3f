import { z } from "zod";
import { rule, shape } from "./rule.js";

const word = z.string().min(1);

/** The form of errors in all of OpenAI's dialects. */
export const OpenAiFailure = z.strictObject({
  error: z.strictObject({
    message: word,
    type: word,
    code: word,
    param: z.string().nullable(),
    status: z.int().min(400).max(599),
  }),
});

export function judgeOpenAiError(status: number, body: unknown): void {
  rule(shape(OpenAiFailure, body).error.status === status, "the error tells its own status");
}
