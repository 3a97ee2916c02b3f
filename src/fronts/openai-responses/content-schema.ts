import { z } from "zod";
import type { InputBlock } from "../../turn/blocks.js";
import { parseFile, parseImageUrl } from "../parts/attachment.js";
import { type LeftOut, orProblem, otherThan } from "../parts/request-schema.js";

const textTypes = ["input_text", "output_text", "text", "summary_text", "reasoning_text"];
const Text = z.looseObject({ type: z.literal(textTypes), text: z.string() });
const Refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const Image = z
  .looseObject({ type: z.literal("input_image"), image_url: z.string().nullish(), file_id: z.string().nullish() })
  .transform(
    orProblem(({ image_url, file_id }) => {
      if (image_url) return parseImageUrl(image_url);
      return file_id ? parseFile({ file_id }) : { problem: "must have image_url" };
    }),
  );
const File = z
  .looseObject({
    type: z.literal("input_file"),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  })
  .transform(orProblem(parseFile));
const Audio = z
  .looseObject({ type: z.literal("input_audio") })
  .refine(() => false, "audio cannot be passed on to Cursor; send text or images")
  .transform((): InputBlock => ({ type: "text", text: "" }));

const Part = z.union([
  z.discriminatedUnion("type", [
    Text.transform(({ text }): InputBlock => ({ type: "text", text })),
    Refusal.transform(({ refusal }): InputBlock => ({ type: "text", text: refusal })),
    Image,
    File,
    Audio,
  ]),
  otherThan([...textTypes, "refusal", "input_image", "input_file", "input_audio"]),
]);

/** What anybody says, as text or in parts. */
export const Content = z.union([
  z.string().transform((text): (InputBlock | LeftOut)[] => (text === "" ? [] : [{ type: "text", text }])),
  z.array(Part),
]);
