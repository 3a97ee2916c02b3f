import { expect, it } from "vitest";
import { productOf } from "./note-client.js";

it.each([
  ["claude-cli/2.1.0 (external, cli)", "claude-cli/2.1.0"],
  ["OpenAI/JS 6.1.0", "OpenAI/JS"],
  ["curl/8.5.0", "curl/8.5.0"],
  [undefined, ""],
  ["\u001b[31mred", ""],
  ["x".repeat(61), ""],
])("%j is the client %j", (userAgent, client) => {
  expect(productOf(userAgent)).toBe(client);
});
