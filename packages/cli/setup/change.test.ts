import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { editsToRevert, keptModel, planSetup, planUndo } from "./change.js";
import { assumedModel, type Client, type ClientFile, targetOf } from "./client.js";
import { realFile, recordsIn } from "./client-file.js";
import { clients } from "./clients.js";
import { editText, UneditableError } from "./edited-text.js";
import { applied, childOf, isObject, plainObject } from "./merge.js";
import { fileCases } from "./settings-files.cases.js";

const target = targetOf({ url: "http://127.0.0.1:32124", key: undefined }, assumedModel("auto"));
const withFile = clients.flatMap((client) => (client.file === undefined ? [] : [{ client, spec: client.file }]));

function fileFor(client: Client, spec: ClientFile) {
  const home = temporaryFolder();
  const [path = ""] = spec.paths({ env: {}, platform: "linux", homeDirectory: join(home, "user") });
  const file = path.startsWith(home) ? path : join(home, "user", client.name, path);
  const records = recordsIn(join(home, "curlew", "setup"));
  return {
    home,
    file,
    records,
    put(text: string) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    text: () => readFileSync(file, "utf8"),
    setUp: (at = target) => planSetup(file, spec, at, records).make(),
    planUndo: () => planUndo(file, spec, records),
    plan: (at = target) => planSetup(file, spec, at, records),
    undo: () => planUndo(file, spec, records)?.make(),
  };
}

describe.each(withFile)("$client.name", ({ client, spec }) => {
  it.each(fileCases[spec.format.name] ?? [])("is set up twice and undone in a file with $name", ({ text, remains }) => {
    const at = fileFor(client, spec);
    at.put(text);
    at.setUp();
    const written = at.text();
    const plain = written.replaceAll("\r\n", "\n");
    for (const each of remains) expect(plain).toContain(each);
    expect(spec.format.parse(plain.replace(/^\uFEFF/, ""))).toMatchObject(wantedIn(spec, plain));
    const hasWindowsEnds = !/(^|[^\r])\n/.test(text) && text.includes("\r\n");
    if (hasWindowsEnds) expect(written).not.toMatch(/(^|[^\r])\n/);
    expect(written.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));

    const again = at.plan();
    expect(again.after).toBe(again.before);

    at.undo();
    expect(at.text()).toBe(text);
    expect(readdirSync(dirname(at.file)).filter((name) => name.includes("curlew"))).toEqual([]);
  });

  it("is set up without a file, and undone without a trace", () => {
    const at = fileFor(client, spec);
    mkdirSync(join(at.home, "user"));
    at.setUp();
    expect(spec.format.parse(at.text())).toEqual(plainObject(spec.wanted(target)));
    at.undo();
    expect(readdirSync(join(at.home, "user"))).toEqual([]);
  });

  it("keeps what the user changed in the meantime", () => {
    const at = fileFor(client, spec);
    const mine = {
      JSON: '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n',
      TOML: "a = 1\nb = 2\n\n[c]\n",
      YAML: "a: 1\nb: 2\nc: 3\n",
    };
    const [text = ""] = Object.entries(mine).flatMap(([name, each]) => (name === spec.format.name ? [each] : []));
    at.put(text);
    at.setUp();
    writeFileSync(at.file, at.text().replace("1", "100"));
    at.setUp(targetOf(target, assumedModel("other")));
    at.undo();
    expect(at.text()).toBe(text.replace("1", "100"));
  });

  it.each(["there was nothing", "there was a file"])(
    "is undone after the client has rewritten it where %s",
    (before) => {
      const at = fileFor(client, spec);
      const mine = { mine: { a: 1 }, list: [{ b: 2 }] };
      if (before === "there was a file") at.put(spec.format.print(mine));
      at.setUp();
      const value = spec.format.parse(at.text());
      const added = isObject(value) ? { first: 1, ...value, last: { x: 1 } } : {};
      writeFileSync(at.file, `\n${spec.format.print(added)}`);
      at.undo();
      const rest = before === "there was a file" ? mine : {};
      expect(spec.format.parse(at.text())).toEqual({ first: 1, ...rest, last: { x: 1 } });
    },
  );

  it("moves to another address and is still undone", () => {
    const at = fileFor(client, spec);
    const [{ text } = { text: "" }] = fileCases[spec.format.name] ?? [];
    at.put(text);
    at.setUp();
    const other = { ...assumedModel("other"), contextTokens: 272_000 };
    at.setUp(targetOf({ url: "http://10.0.0.1:1", key: "a-key-of-the-gateway" }, other));
    expect(at.text()).toContain("http://10.0.0.1:1");
    expect(at.text()).not.toContain(target.url);
    at.undo();
    expect(at.text()).toBe(text);
  });

  it("keeps the model, also one chosen in the client since, and takes either back", () => {
    const at = fileFor(client, spec);
    const [{ text } = { text: "" }] = fileCases[spec.format.name] ?? [];
    at.put(text);
    at.setUp(targetOf(target, assumedModel("other")));
    expect(keptModel(at.file, spec, at.records)).toBe("other");
    const { modelAt } = spec;
    if (modelAt !== undefined) {
      const newer = plainObject(spec.wanted(targetOf(target, assumedModel("newer"))));
      const value = modelAt.reduce<unknown>(childOf, newer);
      writeFileSync(
        at.file,
        editText(at.text(), spec.format, () => [{ path: modelAt, value }]),
      );
      expect(keptModel(at.file, spec, at.records)).toBe("newer");
      at.setUp(targetOf(target, assumedModel("newer")));
    }
    at.undo();
    expect(at.text()).toBe(text);
    expect(keptModel(at.file, spec, at.records)).toBeUndefined();
  });

  it.each([
    ["not a settings file", '{[ = : - \n\t"x'],
    ["a list", "[1, 2]"],
  ])("leaves alone what is %s", (_, text) => {
    const at = fileFor(client, spec);
    at.put(text);
    expect(() => at.plan()).toThrow(UneditableError);
    expect(at.text()).toBe(text);
  });
});

describe("a settings file", () => {
  const [first = { client: clients[0], spec: clients[0]?.file }] = withFile;
  const opened = () => {
    const { client, spec } = first;
    if (client === undefined || spec === undefined) throw new Error("there are no clients");
    return fileFor(client, spec);
  };

  it("keeps its permissions, and its backup is private", () => {
    const at = opened();
    at.put("{}");
    chmodSync(at.file, 0o640);
    at.setUp();
    expect(statSync(at.file).mode & 0o777).toBe(0o640);
    expect(statSync(`${at.file}.before-curlew`).mode & 0o777).toBe(0o600);
  });

  it("is private if it is new and holds a key", () => {
    const at = opened();
    at.setUp({ ...target, key: "a-key-of-the-gateway" });
    expect(statSync(at.file).mode & 0o777).toBe(0o600);
  });

  it.each(["there", "not there yet"])("is changed at the target of a link, if that is %s", (where) => {
    const at = opened();
    const real = join(at.home, "real.json");
    if (where === "there") writeFileSync(real, "{}");
    const link = join(at.home, "link.json");
    symlinkSync(real, link);
    expect(realFile(link)).toBe(real);
  });

  it("does not overwrite an unrelated backup", () => {
    const at = opened();
    at.put("{}");
    writeFileSync(`${at.file}.before-curlew`, "unrelated");
    at.setUp();
    at.undo();
    expect(readFileSync(`${at.file}.before-curlew`, "utf8")).toBe("unrelated");
    expect(at.text()).toBe("{}");
  });

  it("keeps our value if the user has changed it since", () => {
    const at = opened();
    at.put("{}");
    at.setUp();
    writeFileSync(at.file, at.text().replace(target.url, "http://elsewhere"));
    at.undo();
    expect(JSON.parse(at.text())).toEqual({ provider: { curlew: { options: { baseURL: "http://elsewhere/v1" } } } });
  });

  it.each([
    ["opencode", '"curlew/auto"', '"elsewhere/two"', { model: "elsewhere/two" }],
    [
      "zed",
      '"provider": "Curlew", "model": "auto"',
      '"provider": "elsewhere", "model": "two"',
      { agent: { default_model: { provider: "elsewhere", model: "two" } } },
    ],
  ])("keeps a model of another provider that the user has chosen since: %s", (name, ours, theirs, result) => {
    const [{ client, spec } = first] = withFile.filter((each) => each.client.name === name);
    if (client === undefined || spec === undefined) throw new Error(`${name} has no file`);
    const at = fileFor(client, spec);
    at.put("{}");
    at.setUp();
    expect(at.text()).toContain(ours);
    writeFileSync(at.file, at.text().replace(ours, theirs));
    expect(keptModel(at.file, spec, at.records)).toBe("auto");
    at.undo();
    expect(JSON.parse(at.text())).toEqual(result);
  });

  it("is not touched if it is not text", () => {
    const at = opened();
    at.put("");
    writeFileSync(at.file, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(() => at.plan()).toThrow(/UTF-8/);
  });

  it("has nothing to undo if nothing was set up", () => {
    const at = opened();
    expect(at.planUndo()).toBeUndefined();
  });
});

/** Lists have other members too. */
function wantedIn(spec: ClientFile, text: string): Record<string, unknown> {
  const parsed = spec.format.parse(text.replace(/^\uFEFF/, ""));
  const wanted = plainObject(spec.wanted(target));
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => {
      const found = isObject(parsed) ? parsed[key] : undefined;
      // A file in YAML may have these already, and keeps them.
      if (spec.format.name === "YAML" && /^(?:name|version|schema)$/.test(key)) return [key, expect.any(String)];
      return [key, Array.isArray(value) && Array.isArray(found) ? expect.arrayContaining(value) : value];
    }),
  );
}

const cases = [
  {
    name: "removes our member of a list, even with additions, and keeps the others",
    original: { list: [{ id: "theirs" }] },
    written: { list: [{ id: "theirs" }, { id: "ours", url: "u" }] },
    now: { list: [{ id: "theirs", more: 1 }, { id: "ours", url: "u", index: 7 }, { id: "new" }] },
    result: { list: [{ id: "theirs", more: 1 }, { id: "new" }] },
  },
  {
    name: "removes a list that was created for its only member",
    original: {},
    written: { list: [{ id: "ours" }] },
    now: { list: [{ id: "ours", index: 0 }], other: true },
    result: { other: true },
  },
  {
    name: "restores an earlier value, unless it has been changed since",
    original: { model: "theirs", kept: "theirs" },
    written: { model: "ours", kept: "ours" },
    now: { model: "ours", kept: "newer", other: 1 },
    result: { model: "theirs", kept: "newer", other: 1 },
  },
  {
    name: "keeps what was added beside ours",
    original: {},
    written: { env: { OURS: "1" } },
    now: { env: { OURS: "1", THEIRS: "2" } },
    result: { env: { THEIRS: "2" } },
  },
];

describe("undo", () => {
  it.each(cases)("$name", ({ original, written, now, result }) => {
    expect(applied(now, editsToRevert(now, written, original))).toEqual(result);
  });
});
