import { once } from "node:events";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { createLogLines } from "../packages/cli/terminal/log-lines.js";
import { chat } from "../testing/clients/tool-client.js";
import { serveCurlew } from "../testing/programs/curlew-process.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";

interface Failing {
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string;
}

/** The log line of a failing request on a terminal of 80 columns. */
async function failedLine({ env = {}, model = "auto" }: Failing): Promise<string> {
  const simulator = await openSimulator();
  const running = await serveCurlew([], {
    env: { CURLEW_BACKEND: "agent", CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_fine", ...env },
  });
  await chat(running.url, [{ role: "user", content: "hello" }], { model }).catch(() => {});
  const [line] = await running.printed("stderr", /^.*"msg":"request"\}\n/m);
  return createLogLines({ columns: () => 80 })(line);
}

describe("the log line of a failed request says why it failed and what to do", () => {
  it.each<[string, Failing, RegExp, RegExp]>([
    [
      "an unknown model",
      { model: "composer-2.6" },
      /warning 404/,
      /not in your Cursor list\. .*composer-2\.5.*curlew models/,
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

it("the log tells a client that speaks TLS to the plain port which address to use", async () => {
  const { url, printed } = await serveCurlew([], { env: { CURLEW_BACKEND: "simulator" } });
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "error");
  const [line] = await printed("stderr", /^.*spoke TLS.*$/m);
  expect(line).toContain(`a client spoke TLS (https) to this port; use ${url}`);
});
