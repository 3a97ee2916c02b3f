import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startTestGateway, startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem({}, { modelAliases: { mine: "opus:low" } }));
beforeEach(() => system.simulator.reset());

async function ask(model: string, rest: object = {}, url = system.url) {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model,
    messages: [{ role: "user", content: "[[say hi]]" }],
    ...rest,
  });
  const body = (await response.json()) as { model?: string; error?: object };
  return {
    status: response.status,
    model: body.model,
    header: response.headers.get("x-curlew-model"),
    warnings: response.headers.get("x-curlew-warnings"),
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
    ["a listed name", "claude-opus-4-8-high", {}, "claude-opus-4-8-high", { modelId: "claude-opus-4-8-high" }],
    [
      "another variant",
      "claude-opus-4-8-low",
      {},
      "claude-opus-4-8-low",
      {
        modelId: "claude-opus-4-8",
        parameters: [
          { id: "effort", value: "low" },
          { id: "context", value: "200k" },
        ],
      },
    ],
    [
      "an effort in the request",
      "cursor/gpt-5.5",
      { reasoning_effort: "xhigh" },
      "gpt-5.5-high",
      { modelId: "gpt-5.5", parameters: [{ id: "reasoning", value: "high" }] },
    ],
    [
      "max mode",
      "opus:max",
      {},
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
      {},
      "claude-opus-4-8-low",
      {
        modelId: "claude-opus-4-8",
        parameters: [
          { id: "effort", value: "low" },
          { id: "context", value: "200k" },
        ],
      },
    ],
    ["a name of another API", "gpt-4o", {}, "gpt-5.5-medium", { modelId: "gpt-5.5-medium" }],
    ["a name of which nothing comes near", "claude-3-5-haiku-latest", {}, "auto", { modelId: "default" }],
  ])("is asked for as Cursor wants it, and named truly: %s", async (_, model, rest, shown, sent) => {
    expect(await ask(model, rest)).toMatchObject({ status: 200, model: shown, header: shown });
    expect(requested()).toEqual(sent);
  });

  it("that takes no effort answers with a warning", async () => {
    const { warnings } = await ask("auto", { reasoning_effort: "high" });
    expect(warnings).toContain("auto has no setting for the effort high");
  });

  it("that is not known is not found, with the nearest names", async () => {
    const { status, error } = await ask("gemini-3.1-prp");
    expect(status).toBe(404);
    expect(error).toMatchObject({ code: "model_not_found", message: expect.stringContaining("`gemini-3.1-pro`") });
  });
});

describe("a mistake in a name", () => {
  it.each([
    ["a misspelled variant", "claude-opus-5-hihg", /is not in your Cursor list\. Did you mean `claude-/],
    ["an option that the model does not have", "opus:turbo", /takes low, high, 200k, 1m or max\./],
    ["an option of a model that has none", "grok-4.6:turbo", /`grok-4.6` takes none\./],
  ])("is answered with 404 and never by another model: %s", async (_, model, message) => {
    const runs = system.simulator.requests(20).length;
    const { status, error } = await ask(model);
    expect({ status, error }).toEqual({
      status: 404,
      error: expect.objectContaining({ code: "model_not_found", message: expect.stringMatching(message) }),
    });
    expect(
      system.simulator
        .requests(20)
        .slice(runs)
        .map(({ path }) => path),
    ).not.toContainEqual(expect.stringMatching(/Run$/));
  });

  it("is answered with a header that names the efforts, if it is one in an effort", async () => {
    const { status, warnings } = await ask("opus", { reasoning_effort: "turbo" });
    expect(status).toBe(200);
    expect(warnings).toContain("There is no effort turbo; it is left out. claude-opus-4-8-high takes low or high.");
  });
});

describe("strictModels", () => {
  it("refuses names that clients have built in, and keeps the list and the aliases", async () => {
    const strict = await openWholeSystem({}, { strictModels: true, modelAliases: { mine: "opus:low" } });
    const status = async (model: string) => (await ask(model, {}, strict.url)).status;
    expect([await status("gpt-4o"), await status("claude-sonnet-4-5-20250929")]).toEqual([404, 404]);
    expect([await status("mine"), await status("opus"), await status("auto")]).toEqual([200, 200, 200]);
    const { error } = await ask("gpt-5.4", {}, strict.url);
    expect(error).toMatchObject({ message: expect.stringContaining("Did you mean `gpt-5.5-medium`") });
  });
});

describe("the list of models", () => {
  it("is in OpenAI's form for its clients, with names and sizes", async () => {
    const list = await new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused" }).models.list();
    expect(list.data[0]).toMatchObject({ id: "auto", object: "model", name: "Auto", context_window: 200_000 });
    expect(list.data.find(({ id }) => id === "claude-opus-4-8-high")).toMatchObject({
      context_window: 200_000,
      max_mode_context_window: 1_000_000,
    });
  });

  it("is in Anthropic's form for its clients, in pages", async () => {
    const headers = { "anthropic-version": "2023-06-01" };
    const page = await (await fetch(`${system.url}/v1/models?limit=2`, { headers })).json();
    expect(page).toMatchObject({ has_more: true, first_id: "auto", last_id: "composer-2.5" });
    const one = await (await fetch(`${system.url}/v1/models/opus`, { headers })).json();
    expect(one).toMatchObject({ type: "model", id: "claude-opus-4-8-high", display_name: "Claude Opus 4.8" });
  });
});

describe("after a restart without Cursor", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });

  it("the list of before still serves, and is for its owner alone", async () => {
    const first = await startWholeSystem();
    open.push(first);
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
    open.push(second);
    expect(await (await fetch(`${second.url}/v1/models`)).json()).toEqual(before);
    expect(await ask("gpt-9", {}, second.url)).toMatchObject({ status: 404 });
    expect(await ask("gpt-5.5", {}, second.url)).toMatchObject({ status: 502 });
  });

  it("another account gets nothing of it", async () => {
    const first = await startWholeSystem();
    open.push(first);
    await fetch(`${first.url}/v1/models`);
    await first.simulator.close();
    const other = await startTestGateway({
      home: first.home,
      apiKey: "crsr_somebody_else",
      logLevel: "silent",
      settings: { backendUrl: first.simulator.url },
    });
    open.push(other);
    expect((await fetch(`${other.url}/v1/models`)).status).toBe(502);
    expect(existsSync(join(first.home, "models.json"))).toBe(true);
  });
});
