import { type Client, keyFor } from "../client.js";

/** It keeps its channels in a database, behind a web page. */
export const newApi: Client = {
  name: "new-api",
  title: "new-api",
  isProven: false,
  notes: (target) => [
    "Add a channel on the page Channels of its web interface:",
    "  type      OpenAI",
    `  base URL  ${target.url}   (without /v1)`,
    `  key       ${target.key === undefined ? keyFor(target) : "the gateway's key"}`,
    `  models    ${target.models.map(({ id }) => id).join(",")}`,
  ],
};
