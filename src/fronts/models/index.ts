import type { RouteGroup } from "../dialect.js";
import { anthropicError, openAiError } from "../openapi/index.js";
import { parsePaging, writeAnthropicList, writeAnthropicModel } from "./anthropic.js";
import { writeOpenAiList, writeOpenAiModel } from "./openai.js";
import { getModel, listModels } from "./openapi.js";

/** Both dialects ask at the same address; every call of Anthropic's clients has this header. */
const ANTHROPIC_HEADER = "anthropic-version";

/** The limit of requests: it is longer than any name. */
const MAX_NAME = 256;

export const models: RouteGroup = {
  fronts: [],
  endpoints: [
    {
      method: "GET",
      path: "/v1/models",
      description: listModels,
      async answer({ headers, query, models }) {
        const paging = headers[ANTHROPIC_HEADER] && parsePaging(query);
        const listed = await models();
        return { body: paging ? writeAnthropicList(listed, paging) : writeOpenAiList(listed) };
      },
    },
    {
      method: "GET",
      path: "/v1/models/:id{.+}",
      description: getModel,
      async answer({ headers, param, model }) {
        const found = await model(param("id").slice(0, MAX_NAME));
        return { body: headers[ANTHROPIC_HEADER] ? writeAnthropicModel(found) : writeOpenAiModel(found) };
      },
    },
  ],
  errorShapes: [openAiError, anthropicError],
};
