import { describe, expect, it, onTestFinished } from "vitest";
import { createLogLines } from "../src/terminal/log-lines.js";
import { chat } from "../testing/clients/tool-client.js";
import { serveCurlew } from "../testing/programs/curlew-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const gatewayKey = "a-gateway-key-for-tests";

interface Failing {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly prompt?: string;
}

/** The line about one failing request, as a terminal of 80 columns shows it. */
async function failedLine({ env = {}, headers = {}, model = "auto", prompt = "hello" }: Failing): Promise<string> {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const running = await serveCurlew([], {
    env: { CURLEW_BACKEND: "agent", CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_fine", ...env },
  });
  await chat(running.url, [{ role: "user", content: prompt }], { model, headers }).catch(() => {});
  const [line] = await running.printed("stderr", /^.*"msg":"request"\}\n/m);
  return createLogLines({ columns: () => 80 })(line);
}

describe("the line of a failed request alone says why it failed and what to do", () => {
  it.each<[string, Failing, RegExp, RegExp]>([
    [
      "an unknown model",
      { model: "composer-2.6" },
      /warning 404/,
      /not in your Cursor list\. .*composer-2\.5.*curlew models/,
    ],
    [
      "a wrong gateway key",
      { env: { CURLEW_KEY: gatewayKey }, headers: { authorization: "Bearer wrong" } },
      /warning 401/,
      /key.*CURLEW_KEY/,
    ],
    [
      "a credential that Cursor refuses",
      { env: { CURSOR_API_KEY: "crsr_bad_key" } },
      /warning 401/,
      /CURSOR_API_KEY.*curlew login/,
    ],
    [
      "a plan that is used up",
      { prompt: "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]" },
      /warning 429/,
      /limit.*curlew usage/,
    ],
    [
      "a conversation that is too long",
      { prompt: "[[fail invalid_argument ERROR_CONVERSATION_TOO_LONG]]" },
      /warning 400/,
      /too long.*(start a new one|shorten)/,
    ],
    [
      "a Cursor that is down",
      { env: { CURSOR_BACKEND_URL: "http://127.0.0.1:9" } },
      /error 50[23]/,
      /127\.0\.0\.1.*(Check|try|curlew)/i,
    ],
  ])("%s", async (_, failing, verdict, message) => {
    const text = await failedLine(failing);
    const [first = "", ...rest] = text.trimEnd().split("\n");
    expect(first).toMatch(/^\d\d:\d\d:\d\d {2}\S/);
    expect(first).toMatch(verdict);
    expect(rest.map((line) => line.trim()).join(" ")).toMatch(message);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});
