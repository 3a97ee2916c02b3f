import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { sampleModel, sampleModels } from "../../../testing/samples/sample-models.js";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { createCatalogue } from "./catalogue.js";
import { modelFile } from "./model-file.js";

const never = new AbortController().signal;
let home = "";
const problems: unknown[] = [];

beforeEach(() => {
  home = temporaryFolder();
  problems.length = 0;
});

const cache = (account = "me", backendUrl = "https://cursor.example", folder = "own") =>
  modelFile({
    path: join(home, folder, "models.json"),
    account,
    backendUrl,
    onProblem: (problem) => problems.push(problem),
  });

it("loads everything that was saved, to the last parameter", () => {
  expect(cache().load()).toBeUndefined();
  cache().save({ models: sampleModels, atMs: 5 });
  expect(cache().load()).toEqual({ models: sampleModels, atMs: 5 });
});

it("keeps accounts and servers apart", () => {
  cache("me").save({ models: [sampleModel("mine")], atMs: 1 });
  cache("you").save({ models: [sampleModel("yours")], atMs: 2 });
  expect(cache("me").load()?.models[0]?.id).toBe("mine");
  expect(cache("you").load()?.models[0]?.id).toBe("yours");
  expect(cache("me", "https://other.example").load()).toBeUndefined();
});

it("is readable only by its owner, and leaves no temporary files", () => {
  cache().save({ models: sampleModels, atMs: 1 });
  expect(statSync(join(home, "own")).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "own", "models.json")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, "own"))).toEqual(["models.json"]);
});

it("evicts the oldest lists at its limit", () => {
  for (let i = 0; i < 12; i++) cache(`account ${i}`).save({ models: [sampleModel("m")], atMs: i });
  expect(cache("account 0").load()).toBeUndefined();
  expect(cache("account 11").load()).toBeDefined();
});

it.each(["", "{", "[]", '{"version":2,"lists":{}}', '{"version":1,"lists":{"x":{"models":"?"}}}'])(
  "ignores and replaces a file with the content %j",
  (content) => {
    cache().save({ models: sampleModels, atMs: 1 });
    writeFileSync(join(home, "own", "models.json"), content);
    expect(cache().load()).toBeUndefined();
    cache().save({ models: sampleModels, atMs: 2 });
    expect(cache().load()?.atMs).toBe(2);
  },
);

it("reports a list that it cannot save, without failing", () => {
  writeFileSync(join(home, "blocked"), "");
  cache("me", "https://cursor.example", "blocked").save({ models: sampleModels, atMs: 1 });
  expect(problems).toHaveLength(1);
});

it("lets a new catalogue answer before Cursor does, and without it", async () => {
  const first = createCatalogue({ fetchModels: async () => sampleModels, cache: cache() });
  await first.list(never);
  let fetches = 0;
  const offline = createCatalogue({
    cache: cache(),
    now: () => Date.now() + 3_600_000,
    fetchModels: () => {
      fetches++;
      return new Promise(() => {});
    },
  });
  expect(await offline.list(never)).toEqual(sampleModels);
  expect(await offline.resolve({ model: "opus" }, never)).toMatchObject({ id: "opus-high" });
  expect(fetches).toBe(1);
});
