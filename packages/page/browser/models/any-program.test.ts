import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { snippetOf } from "./any-program.js";

const hostile = { baseUrl: "http://127.0.0.1:32124/v1", model: `a'; touch /tmp/x; "$(id)" \\\n\``, key: "it's" };

it("quotes any model name for curl", () => {
  const shell = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${snippetOf("curl", hostile)}`;
  const words = execFileSync("sh", ["-c", shell], { encoding: "utf8" }).split("\0");
  expect(words.slice(0, -2)).toEqual([
    "http://127.0.0.1:32124/v1/chat/completions",
    "-H",
    "authorization: Bearer it's",
    "-H",
    "content-type: application/json",
    "-d",
  ]);
  expect(JSON.parse(words.at(-2) ?? "")).toEqual({
    model: hostile.model,
    messages: [{ role: "user", content: "Hello" }],
  });
});

it("sends the same request with JavaScript", async () => {
  const asked: unknown[] = [];
  class OpenAI {
    readonly chat;
    constructor(options: object) {
      const create = async (body: object) => {
        asked.push(options, body);
        return { choices: [{ message: { content: "Hi" } }] };
      };
      this.chat = { completions: { create } };
    }
  }
  const program = snippetOf("javascript", hostile).replace(/^import .*$/m, "");
  await runInNewContext(`(async () => {${program}})()`, { OpenAI, console: { log: () => {} } });
  expect(asked).toEqual([
    { baseURL: hostile.baseUrl, apiKey: hostile.key },
    { model: hostile.model, messages: [{ role: "user", content: "Hello" }] },
  ]);
});

it("writes Python strings as JSON, which is valid Python", () => {
  const program = snippetOf("python", hostile);
  expect(program).toContain(`model=${JSON.stringify(hostile.model)},`);
  expect(program).toContain(`base_url="http://127.0.0.1:32124/v1", api_key="it's"`);
});
