import type { Skips } from "./backend.cases.js";
import type { RegisteredBackend } from "./registry.js";

/** Every backend in each of its modes, with the shared cases that it cannot pass. The guide shows this table. */
export const skips = {
  "agent/h2": [],
  "agent/h1": [],
  sdk: [],
  "cli/print": [
    { cases: ["usage: tokens of thinking"], reason: "Print mode reports no figure for thinking." },
    { cases: ["image"], reason: "Print mode takes a prompt of plain text; the gateway describes images in words." },
    {
      cases: ["tools", "parallel tools"],
      reason: "Print mode has no calls: the model writes them as text, and the gateway makes calls of those.",
    },
    {
      cases: ["tools in two rounds"],
      reason: "Print mode ends with the turn: each round of results is a prompt of its own.",
    },
  ],
  "cli/acp": [
    {
      cases: ["usage", "usage: tokens of thinking"],
      reason: "The CLI reports no token counts over ACP; they are estimated.",
    },
  ],
  chat: [
    {
      cases: ["usage", "usage: tokens of thinking"],
      reason: "The old chat calls report no token counts; they are estimated.",
    },
    {
      cases: ["image"],
      reason: "The old chat calls get an image as Markdown in the text: the model reads words and sees no picture.",
    },
    {
      cases: ["tools", "parallel tools", "tools in two rounds"],
      reason: "The old chat calls take no tools of a client; requests that offer some are refused.",
    },
  ],
} as const satisfies Partial<Record<RegisteredBackend | `${RegisteredBackend}/${string}`, Skips>>;
