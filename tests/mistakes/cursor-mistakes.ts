import type { Mistake } from "./mistake.js";
import { ask, chat, send } from "./requests.js";

const picture = (url: string) => [
  { type: "text", text: "What is this?" },
  { type: "image_url", image_url: { url } },
];

export const cursorMistakes: readonly Mistake[] = [
  {
    number: 20,
    mistake: "Cursor key wrong or revoked",
    async make(stage) {
      await stage.simulator.configure({ exchange: "refuse" });
      const variables = { CURSOR_API_KEY: "crsr_revoked" };
      const answer = await send(stage, "/v1/chat/completions", { body: chat, variables });
      await stage.simulator.configure({ exchange: "ok" });
      return answer;
    },
    status: 401,
    says: ["wrong, revoked or expired", "curlew login"],
  },
  {
    number: 21,
    mistake: "plan used up",
    make: (stage) => ask(stage, "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]"),
    status: 429,
    says: ["curlew usage", /Your plan resets on \d+ \w+ \d{4}\./],
  },
  {
    number: 22,
    mistake: "rate limited",
    make: (stage) => ask(stage, "hi", { model: "raw/sim-error-50-resource_exhausted" }),
    status: 429,
    says: ["Wait a moment, then try again. Run fewer agents at once."],
  },
  {
    number: 23,
    mistake: "conversation too long",
    make: (stage) => ask(stage, `[[fail resource_exhausted]] ${"word ".repeat(140_000)}`, { model: "composer-2.5" }),
    status: 400,
    says: [/about [\d,]+ tokens/, "200,000", "Shorten the conversation or start a new one."],
  },
  {
    number: 24,
    mistake: "Cursor refuses an old client version",
    make: (stage) => ask(stage, "hi", { model: "raw/sim-error-30" }),
    status: 502,
    says: ["CURSOR_CLIENT_VERSION"],
  },
  {
    number: 25,
    mistake: "Cursor down",
    make: (stage) => ask(stage, "hi", { model: "raw/sim-error-63-unavailable.final" }),
    status: 503,
    says: ["Try again; if it keeps happening, run `curlew doctor`."],
  },
  {
    number: 25,
    mistake: "stream cut",
    make: (stage) => ask(stage, "[[say Half of it]] [[drop]]"),
    status: 502,
    says: ["Try again; if it keeps happening, run `curlew doctor`."],
  },
  {
    number: 27,
    mistake: "invalid image",
    make: (stage) => ask(stage, picture(`data:image/png;base64,${btoa("not a picture")}`)),
    status: 400,
    says: ["PNG, JPEG, GIF or WebP"],
  },
  {
    number: 27,
    mistake: "image on localhost",
    make: (stage) => ask(stage, picture("http://127.0.0.1:9/picture.png")),
    status: 400,
    says: ["base64"],
  },
];
