import { z } from "zod";
import type { AnswerFormat } from "../../turn/turn.js";

const Schema = z.record(z.string(), z.unknown());

/** The schema stands in `json_schema`, or in short form directly in the format. */
export const ResponseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({
    type: z.literal(["json_object", "json_schema"]),
    json_schema: z.looseObject({ name: z.string().nullish(), schema: Schema.nullish() }).nullish(),
    schema: Schema.nullish(),
  }),
]);

export function toAnswerFormat(wish: z.infer<typeof ResponseFormat> | null | undefined): { format?: AnswerFormat } {
  if (!wish || wish.type === "text") return {};
  const schema = wish.json_schema?.schema ?? wish.schema;
  if (!schema) return { format: { type: "json" } };
  const name = wish.json_schema?.name || "answer";
  return { format: { type: "json-schema", name, schema, param: "response_format" } };
}
