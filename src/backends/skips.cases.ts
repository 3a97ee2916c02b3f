import type { Skips } from "./backend.cases.js";

/** The roads to Cursor, and those of the shared cases that one cannot pass. The guide shows this table. */
export const skips = {
  "agent/h2": {},
  "agent/h1": {},
  "cli/print": {
    "usage: tokens of thinking": "What print mode tells of usage has no figure for thinking.",
    image: "Print mode takes a prompt of plain text; the gateway describes images in words.",
    tools: "Print mode has no calls: the model writes them as text, and the gateway makes calls of those.",
    "parallel tools": "Print mode has no calls: the model writes them as text, and the gateway makes calls of those.",
    "tools in two rounds": "Print mode ends with the turn: each round of results is a prompt of its own.",
  },
  "cli/acp": {
    usage: "The CLI tells no token counts over ACP; they are estimated.",
    "usage: tokens of thinking": "The CLI tells no token counts over ACP; they are estimated.",
  },
  chat: {
    usage: "The old chat calls tell no token counts; they are estimated.",
    "usage: tokens of thinking": "The old chat calls tell no token counts; they are estimated.",
    image: "The old chat calls get an image as Markdown in the text: the model reads words and sees no picture.",
    tools: "The old chat calls take no tools of a client; requests that offer some are refused.",
    "parallel tools": "The old chat calls take no tools of a client; requests that offer some are refused.",
    "tools in two rounds": "The old chat calls take no tools of a client; requests that offer some are refused.",
  },
  sdk: {},
} as const satisfies Record<string, Skips>;
