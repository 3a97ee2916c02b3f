import { describe, expect, it, vi } from "vitest";
import { sampleModels } from "../../../testing/samples/sample-models.js";
import { sampleProfile } from "../../../testing/samples/sample-profile.js";
import type { Model } from "../backends/backend.js";
import { readVendors } from "../backends/profile/index.js";
import { createCatalogue } from "./catalogue.js";

const model = (id: string, ...aliases: string[]): Model => ({ id, name: id.toUpperCase(), aliases, canThink: false });
const models = [model("default", "auto"), model("gpt-5.5", "gpt"), model("claude-sonnet-5", "sonnet")];
const never = new AbortController().signal;

function setUp(answers: (readonly Model[] | Error)[] = [models]) {
  let nowMs = 1_000_000;
  let fetches = 0;
  const catalogue = createCatalogue({
    now: () => nowMs,
    fetchModels: async () => {
      const answer = answers[Math.min(fetches++, answers.length - 1)] ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return {
    catalogue,
    resolve: async (asked: string) => {
      const { id, shownAs } = await catalogue.resolve({ model: asked }, never);
      return { id, shownAs };
    },
    passMinutes: (minutes: number) => {
      nowMs += minutes * 60_000;
    },
    fetches: () => fetches,
  };
}

describe("the known names", () => {
  it("are those of the list once it is loaded, and never other names", async () => {
    const { catalogue } = setUp([[{ ...model("gpt-5.5"), base: "gpt" }, ...models]]);
    expect(["auto", "gpt-5.5"].map(catalogue.knows)).toEqual([true, false]);
    await catalogue.list(never);
    const names = ["auto", "default", "gpt-5.5", "gpt", "claude-sonnet-5", "gpt-9", "__proto__"];
    expect(names.filter(catalogue.knows)).toEqual(["auto", "gpt-5.5", "gpt", "claude-sonnet-5"]);
  });
});

describe("finding one model", () => {
  it("accepts every name that requests may use", async () => {
    const { catalogue, fetches } = setUp();
    expect(await catalogue.find("sonnet", never)).toMatchObject({ id: "claude-sonnet-5" });
    expect(await catalogue.find("default", never)).toMatchObject({ id: "auto" });
    expect(fetches()).toBe(1);
  });

  it("lists again before it reports an unknown model", async () => {
    const { catalogue, passMinutes } = setUp([models, [...models, model("brand-new")]]);
    await catalogue.list(never);
    passMinutes(11);
    expect(await catalogue.find("brand-new", never)).toMatchObject({ id: "brand-new" });
    await expect(catalogue.find("brand-now", never)).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("`brand-new`"),
    });
  });

  it("reports a failed listing instead of guessing", async () => {
    const { catalogue } = setUp([new Error("no network")]);
    await expect(catalogue.find("gpt", never)).rejects.toThrow("no network");
  });
});

describe("listing models", () => {
  it("fetches once while the list is fresh, and again after ten minutes", async () => {
    const { catalogue, passMinutes, fetches } = setUp();
    await catalogue.list(never);
    passMinutes(9.9);
    expect(await catalogue.list(never)).toEqual(models);
    expect(fetches()).toBe(1);
    passMinutes(0.2);
    await catalogue.list(never);
    expect(fetches()).toBe(2);
  });

  it("fetches once for all waiting callers", async () => {
    const { catalogue, fetches } = setUp();
    await Promise.all([catalogue.list(never), catalogue.list(never), catalogue.resolve({ model: "gpt" }, never)]);
    expect(fetches()).toBe(1);
  });

  it("answers with a stale list at once, and with the new one as soon as it arrives", async () => {
    const more = [...models, model("brand-new")];
    let answer: (list: readonly Model[]) => void = () => {};
    let nowMs = 0;
    const fetchModels = vi.fn(
      () =>
        new Promise<readonly Model[]>((resolve) => {
          answer = resolve;
        }),
    );
    const catalogue = createCatalogue({ now: () => nowMs, fetchModels });
    const first = catalogue.list(never);
    answer(models);
    await first;
    nowMs = 11 * 60_000;
    expect(await catalogue.list(never)).toEqual(models);
    answer(more);
    await expect.poll(async () => await catalogue.list(never)).toEqual(more);
    expect(fetchModels).toHaveBeenCalledTimes(2);
  });

  it("fetches the current list on request", async () => {
    const { catalogue } = setUp([models, [model("only")]]);
    await catalogue.list(never);
    expect(await catalogue.refresh(never)).toEqual([model("only")]);
  });

  it("falls back to a stale list, retries after half a minute, and fails without any list", async () => {
    const down = new Error("down");
    const { catalogue, passMinutes, fetches } = setUp([models, down]);
    await catalogue.list(never);
    passMinutes(11);
    for (let i = 0; i < 5; i++) expect(await catalogue.list(never)).toEqual(models);
    expect(fetches()).toBe(2);
    passMinutes(0.6);
    await catalogue.list(never);
    expect(fetches()).toBe(3);
    await expect(setUp([down]).catalogue.list(never)).rejects.toBe(down);
  });

  it("gives up when its caller leaves, and others still get the list", async () => {
    let answer: (list: readonly Model[]) => void = () => {};
    const catalogue = createCatalogue({
      fetchModels: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const impatient = new AbortController();
    const left = catalogue.list(impatient.signal);
    const stays = catalogue.list(never);
    impatient.abort();
    await expect(left).rejects.toMatchObject({ code: "canceled" });
    await expect(catalogue.list(AbortSignal.timeout(1))).rejects.toMatchObject({ code: "timeout" });
    answer(models);
    expect(await stays).toEqual(models);
  });
});

describe("the model that a client means", () => {
  it.each([
    ["gpt-5.5", "gpt-5.5", "gpt-5.5"],
    ["GPT-5.5", "gpt-5.5", "gpt-5.5"],
    ["sonnet", "claude-sonnet-5", "claude-sonnet-5"],
    ["auto", "default", "auto"],
    ["Auto", "default", "auto"],
    ["default", "default", "auto"],
    ["raw/anything:at-all", "anything:at-all", "anything:at-all"],
  ])("%s is requested as %s and shown as %s", async (asked, id, shownAs) => {
    const { catalogue, resolve } = setUp();
    expect(await resolve(asked)).toEqual({ id, shownAs });
    await catalogue.list(never);
    expect(await resolve(asked)).toEqual({ id, shownAs });
  });

  it("is requested with exactly the parameters of a raw/ name", async () => {
    const { catalogue } = setUp();
    const asked = { model: "raw/gpt-9[effort=high, context=1m]" };
    expect(await catalogue.resolve(asked, never)).toEqual({
      id: "gpt-9",
      parameters: [
        { id: "effort", value: "high" },
        { id: "context", value: "1m" },
      ],
      isMax: false,
      shownAs: "gpt-9[effort=high, context=1m]",
      warnings: [],
    });
  });

  it("needs no list for auto and for raw/ names", async () => {
    const { resolve, fetches } = setUp();
    await resolve("auto");
    await resolve("raw/x");
    expect(fetches()).toBe(0);
  });

  it("prefers an id to another model's alias", async () => {
    const { resolve } = setUp([[model("a", "b"), model("b")]]);
    expect(await resolve("b")).toEqual({ id: "b", shownAs: "b" });
  });

  it("is refused when a fresh list lacks it, with the nearest names", async () => {
    const { resolve } = setUp();
    await expect(resolve("gpt-9")).rejects.toMatchObject({
      code: "model_not_found",
      param: "model",
      message: expect.stringContaining("Did you mean `gpt-5.5`?"),
    });
    await expect(resolve("zzzzzzzzzzzzzzzzzzzzz")).rejects.toMatchObject({
      message: expect.stringMatching(/Did you mean `.+`, `.+` or `.+`\? `curlew models`/),
    });
  });

  it("is passed on without a list, or with an empty one", async () => {
    expect(await setUp([new Error("down")]).resolve("new-model")).toEqual({ id: "new-model", shownAs: "new-model" });
    expect(await setUp([[]]).resolve("new-model")).toEqual({ id: "new-model", shownAs: "new-model" });
  });

  it("is looked up again when the list is stale", async () => {
    const { catalogue, resolve, passMinutes } = setUp([models, [...models, model("brand-new")]]);
    await catalogue.list(never);
    await expect(resolve("brand-new")).rejects.toMatchObject({ code: "model_not_found" });
    passMinutes(11);
    expect(await resolve("brand-new")).toEqual({ id: "brand-new", shownAs: "brand-new" });
  });

  it("is kept when a later list is empty", async () => {
    const { catalogue, resolve, passMinutes } = setUp([models, []]);
    await catalogue.list(never);
    passMinutes(11);
    expect(await catalogue.list(never)).toEqual(models);
    expect(await resolve("gpt")).toEqual({ id: "gpt-5.5", shownAs: "gpt-5.5" });
    expect(await setUp([[]]).catalogue.list(never)).toEqual([]);
  });

  it("is passed on when the first list keeps a turn waiting", async () => {
    const catalogue = createCatalogue({ fetchModels: () => new Promise(() => {}), firstListMs: 1 });
    expect(await catalogue.resolve({ model: "new-model" }, never)).toMatchObject({
      id: "new-model",
      shownAs: "new-model",
    });
  });

  it("is passed on when only a stale list lacks it", async () => {
    const { catalogue, resolve, passMinutes } = setUp([models, []]);
    await catalogue.list(never);
    passMinutes(11);
    expect(await resolve("new-model")).toEqual({ id: "new-model", shownAs: "new-model" });
  });

  it("is taken from a stale list without waiting for a new one", async () => {
    const { catalogue, resolve, passMinutes, fetches } = setUp();
    await catalogue.list(never);
    passMinutes(60);
    expect(await resolve("gpt")).toEqual({ id: "gpt-5.5", shownAs: "gpt-5.5" });
    expect(fetches()).toBe(2); // in the background, for the next one
  });
});

const preferences = {
  aliases: { mine: "opus:low" },
  vendors: readVendors(sampleProfile),
  knowsOwnNamesOnly: false,
  prefersMax: false,
};
const catalogue = createCatalogue({ fetchModels: async () => sampleModels, preferences });
const { signal } = new AbortController();

it.each([
  ["auto", { id: "auto", name: "Auto" }],
  ["opus", { id: "opus-high", name: "Opus", contextTokens: 200_000 }],
  ["opus:low", { id: "opus-low", name: "Opus", contextTokens: 200_000 }],
  ["opus:max", { id: "opus-high-1m", contextTokens: 1_000_000 }],
  ["mine", { id: "opus-low" }],
  ["claude-3-5-sonnet-20241022", { id: "claude-5-sonnet", name: "CLAUDE-5-SONNET" }],
  ["raw/anything", { id: "anything", name: "anything" }],
])("describes %s as requests resolve it", async (name, model) => {
  expect(await catalogue.find(name, signal)).toMatchObject(model);
});

it("names the options of a model for a name with a wrong one", async () => {
  const takes = "`opus-high` takes low, high";
  await expect(catalogue.find("opus:turbo", signal)).rejects.toMatchObject({
    code: "model_not_found",
    message: expect.stringContaining(`has no option \`turbo\` after the colon: ${takes}`),
  });
});

it.each(["nope", "opus:nope", ""])("does not find a model %j", async (name) => {
  await expect(catalogue.find(name, signal)).rejects.toMatchObject({ code: "model_not_found" });
});
