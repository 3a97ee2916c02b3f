import type { z } from "zod";

/** Throws for a reply that breaks a rule of its dialect. */
export function rule(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(words);
}

/** The value, if it has this shape. */
export function shape<Shape extends z.ZodType>(schema: Shape, value: unknown): z.output<Shape> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".")}: ${issue?.message} in ${JSON.stringify(value).slice(0, 300)}`);
}

/** JSON text of an object, as the arguments of every call must be. */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
