import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startTestGateway, startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem({}, { modelAliases: { mine: "opus:low" } }));
beforeEach(() => system.simulator.reset());

async function ask(model: string, url = system.url) {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model,
    messages: [{ role: "user", content: "[[say hi]]" }],
  });
  const body = (await response.json()) as { model?: string; error?: object };
  return {
    status: response.status,
    model: body.model,
    header: response.headers.get("x-curlew-model"),
    error: body.error,
  };
}

/** The model in the last run's request. */
function requested() {
  const run = system.simulator.requests(20).findLast(({ path }) => path.endsWith("/Run"));
  const first = run?.messages[0];
  const message = (typeof first === "function" ? first() : first) as { runRequest: { requestedModel: object } };
  return message.runRequest.requestedModel;
}

describe("the model of a turn", () => {
  it.each([
    [
      "max mode",
      "opus:max",
      "claude-opus-4-8-high-1m",
      {
        modelId: "claude-opus-4-8",
        maxMode: true,
        parameters: [
          { id: "effort", value: "high" },
          { id: "context", value: "1m" },
        ],
      },
    ],
    [
      "an alias of the owner",
      "mine",
      "claude-opus-4-8-low",
      {
        modelId: "claude-opus-4-8",
        parameters: [
          { id: "effort", value: "low" },
          { id: "context", value: "200k" },
        ],
      },
    ],
  ])("is sent in Cursor's form, and named correctly in the reply: %s", async (_, model, shown, sent) => {
    expect(await ask(model)).toMatchObject({ status: 200, model: shown, header: shown });
    expect(requested()).toEqual(sent);
  });
});

describe("an option that the model does not have", () => {
  const words = [{ role: "user", content: "[[say hi]]" }];
  const dialects = [
    { route: "chat/completions", content: { messages: words } },
    { route: "responses", content: { input: words } },
    { route: "messages", content: { messages: words, max_tokens: 100 } },
  ];

  it.each(dialects)(
    "is named with its values when Cursor has refused it, at /v1/$route",
    async ({ route, content }) => {
      await fetch(`${system.url}/v1/models`);
      const post = (model: string) => postJson(`${system.url}/v1/${route}`, { model, ...content });
      const refused = await post("raw/claude-opus-4-8[effort=zzz]");
      expect([refused.status, await refused.json()]).toMatchObject([
        404,
        {
          error: {
            code: "model_not_found",
            message:
              "Cursor refused the model's name. claude-opus-4-8-high does not take effort=zzz (effort is low or high).",
          },
        },
      ]);
      expect(system.simulator.stats().runs).toBe(1);
      expect((await post("raw/claude-opus-4-8[effort=low]")).status).toBe(200);
    },
  );

  it("is left out of a listed name, with a warning", async () => {
    const answer = await postJson(`${system.url}/v1/chat/completions`, { model: "opus[effort=zzz]", messages: words });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-curlew-warnings")).toBe(
      "claude-opus-4-8-high does not take effort=zzz (effort is low or high); it is left out.",
    );
    expect(requested()).toEqual({ modelId: "claude-opus-4-8-high" });
  });
});

describe("strictModels", () => {
  it("refuses built-in names of clients, and keeps the list and the aliases", async () => {
    const strict = await openWholeSystem({}, { strictModels: true, modelAliases: { mine: "opus:low" } });
    const status = async (model: string) => (await ask(model, strict.url)).status;
    expect([await status("gpt-4o"), await status("claude-sonnet-4-5-20250929")]).toEqual([404, 404]);
    expect([await status("mine"), await status("opus"), await status("auto")]).toEqual([200, 200, 200]);
    const { error } = await ask("gpt-5.4", strict.url);
    expect(error).toMatchObject({ message: expect.stringContaining("Did you mean `gpt-5.5-medium`") });
  });
});

it("after a restart without Cursor, the stored list is still served; only the owner can read it", async () => {
  const first = await openWholeSystem();
  const before = await (await fetch(`${first.url}/v1/models`)).json();
  const file = join(first.home, "models.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain("crsr_");
  await first.simulator.close();
  const second = await startTestGateway({
    home: first.home,
    apiKey: "crsr_whole_system",
    logLevel: "silent",
    settings: { backendUrl: first.simulator.url, retries: 0 },
  });
  onTestFinished(second.close);
  expect(await (await fetch(`${second.url}/v1/models`)).json()).toEqual(before);
  expect(await ask("gpt-9", second.url)).toMatchObject({ status: 404 });
  expect(await ask("gpt-5.5", second.url)).toMatchObject({ status: 502 });
});
