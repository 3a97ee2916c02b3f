import { z } from "zod";
import type { InputBlock } from "../../turn/blocks.js";
import { parseFile, parseImageUrl } from "../parts/attachment.js";
import { orProblem, toTextBlock } from "../parts/request-schema.js";

const callId = z.string().min(1);

export const imageFields = { image_url: z.string().nullish(), file_id: z.string().nullish() };

export const readImage = orProblem(({ image_url, file_id }: z.infer<z.ZodObject<typeof imageFields>>) => {
  if (image_url) return parseImageUrl(image_url);
  return file_id ? parseFile({ file_id }) : { problem: "must have image_url" };
});

const ShellOutput = z.looseObject({
  stdout: z.string().nullish(),
  stderr: z.string().nullish(),
  outcome: z.looseObject({ type: z.string(), exit_code: z.number().nullish() }).nullish(),
});

/** The results of published tools, as content for the model. */
export const publishedOutputs = [
  z
    .looseObject({ type: z.literal("shell_call_output"), call_id: callId, output: z.array(ShellOutput) })
    .transform(({ call_id, output }) => toResult(call_id, toText(output.map(describeOutput).join("\n")))),
  // OpenAI's description gives it only an `id`, "of the call"; clients send `call_id`, too.
  z
    .looseObject({
      type: z.literal("local_shell_call_output"),
      call_id: z.string().nullish(),
      id: z.string().nullish(),
      output: z.string(),
    })
    .refine(({ call_id, id }) => Boolean(call_id || id), "must have call_id")
    .transform(({ call_id, id, output }) => toResult(call_id || id || "", toText(output))),
  z
    .looseObject({
      type: z.literal("apply_patch_call_output"),
      call_id: callId,
      status: z.string().nullish(),
      output: z.string().nullish(),
    })
    .transform(({ call_id, status, output }) => {
      const hasFailed = status === "failed";
      return toResult(call_id, toText(output || (hasFailed ? "The patch failed." : "Done.")), hasFailed);
    }),
  z
    .looseObject({
      type: z.literal("computer_call_output"),
      call_id: callId,
      output: z.looseObject(imageFields).transform(readImage),
    })
    .transform(({ call_id, output }) => toResult(call_id, [output])),
] as const;

function toResult(call_id: string, output: InputBlock[], isError = false) {
  return { type: "published_output" as const, call_id, output, isError };
}

function toText(text: string): InputBlock[] {
  return text === "" ? [] : [toTextBlock(text)];
}

function describeOutput({ stdout, stderr, outcome }: z.infer<typeof ShellOutput>): string {
  const exit = typeof outcome?.exit_code === "number" && `Exit code ${outcome.exit_code}.`;
  const ended = outcome?.type === "timeout" ? "Timed out." : exit;
  return [stdout, stderr && `stderr:\n${stderr}`, ended].filter(Boolean).join("\n");
}
