import { z } from "zod";
import { Input } from "./item-schema.js";
import { ResponsesRequest } from "./schema.js";
import { Offer } from "./tool-schema.js";

/** The request with all its parts, as it is told to people. */
export const DescribedRequest = ResponsesRequest.extend({
  input: z.union([z.string(), Input.shape.input]).nullish(),
  tools: Offer.shape.tools.nullish(),
  tool_choice: Offer.shape.tool_choice.nullish(),
});
