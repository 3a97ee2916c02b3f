import { z } from "zod";

/** A parser that tells its problem in words, as a transformation of a schema: the words become the field's error. */
export function orProblem<Input, Block extends object>(parse: (input: Input) => Block | { problem: string }) {
  return (input: Input, context: z.RefinementCtx): Block => {
    const parsed = parse(input);
    if (!("problem" in parsed)) return parsed;
    context.issues.push({ code: "custom", message: parsed.problem, input: undefined });
    return z.NEVER;
  };
}
