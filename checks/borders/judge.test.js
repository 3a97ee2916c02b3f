import { describe, expect, it } from "vitest";
import { importsIn, linkFiles } from "./find-imports.js";
import { judgeBorders } from "./judge.js";
import { readTable } from "./read-table.js";

const goodRows = [
  "| `wire/gen/` | generated code | nothing further |",
  "| `gateway/turn/` | the model | nothing further |",
  "| `gateway/fronts/` | what dialects share | `turn/` |",
  "| `gateway/fronts/<dialect>/` (also `names.ts`) | a dialect each | `turn/`, `fronts/` |",
  "| `gateway/core/` | runs a turn | `turn/`, types of `fronts/`, `fronts/<dialect>/` |",
  "| `cli/` | the program | nothing further |",
];
const goodManifests = [
  { folder: "wire", name: "@curlew/wire", exports: { "./gen/agent.js": "./gen/agent.ts" } },
  {
    folder: "gateway",
    name: "@curlew/gateway",
    dependencies: { "@curlew/wire": "1" },
    exports: { "./core/index.js": "./core/index.ts" },
  },
  { folder: "cli", name: "@curlew/cli", dependencies: { "@curlew/gateway": "1", commander: "1" } },
];
const goodTree = {
  "packages/wire/gen/agent.ts": "",
  "packages/gateway/turn/event.ts": "",
  "packages/gateway/fronts/front.ts": 'import type { TurnEvent } from "../turn/event.js";',
  "packages/gateway/fronts/chat/index.ts": 'export { keep } from "./stored/keep.js";\nimport "../front.js";',
  "packages/gateway/fronts/chat/names.ts": "",
  "packages/gateway/fronts/chat/parse.ts": 'import "../../turn/event.js";',
  "packages/gateway/fronts/chat/stored/keep.ts": 'import type { P } from "../parse.js";',
  "packages/gateway/fronts/chat/parse.test.ts": 'import "../../core/run.js";',
  "packages/gateway/fronts/messages/index.ts": "",
  "packages/gateway/core/index.ts": 'export { run } from "./run.js";\nimport "../fronts/chat/names.js";',
  "packages/gateway/core/run.ts":
    'import "../turn/event.js";\nimport type { Front } from "../fronts/front.js";\nimport "@curlew/wire/gen/agent.js";',
  "packages/gateway/core/fixtures/sample.ts": 'import "../../../cli/main.js";',
  "packages/cli/main.ts": 'import "node:http";\nexport const late = () => import("@curlew/gateway/core/index.js");',
};

function judge(changes = {}, { rows = goodRows, manifests = goodManifests, exceptions = [] } = {}) {
  return judgeBorders(tableOf(rows), manifests, linkFiles({ ...goodTree, ...changes }), exceptions);
}

/** The first row is in line 5. */
function tableOf(rows) {
  const page = ["## Rooms", "", "| Room | What it is for | May import |", "|---|---|---|", ...rows, "", "## Decisions"];
  return readTable(page.join("\n"), "page.md");
}

/** The good tree with one more line at the end of a file. */
function withLine(file, line) {
  return { [file]: `${goodTree[file]}\n${line}` };
}

describe("a tree that keeps to its table", () => {
  it("has no faults", () => {
    expect(judge()).toEqual([]);
  });

  it("may have tests that import everything, even past doors", () => {
    const text = 'import "../fronts/chat/stored/keep.js";\nimport "../../cli/main.js";';
    expect(judge({ "packages/gateway/turn/event.test.ts": text })).toEqual([]);
  });
});

describe("an import", () => {
  it.each([
    [
      "outside the row of its room",
      { "packages/gateway/turn/event.ts": '\nimport { Front } from "../fronts/front.js";' },
      "packages/gateway/turn/event.ts:2 imports packages/gateway/fronts/front.ts\n  but the row of packages/gateway/turn/ does not allow packages/gateway/fronts/ (page.md:6)",
    ],
    [
      "of a sibling",
      { "packages/gateway/fronts/messages/index.ts": 'import "../chat/names.js";' },
      "packages/gateway/fronts/messages/index.ts:1 imports packages/gateway/fronts/chat/names.ts\n  but packages/gateway/fronts/chat/ is a sibling: what both need belongs in a room under them",
    ],
    [
      "past a door",
      withLine("packages/gateway/core/run.ts", 'import "../fronts/chat/parse.js";'),
      "packages/gateway/core/run.ts:4 imports packages/gateway/fronts/chat/parse.ts\n  past the door packages/gateway/fronts/chat/index.ts",
    ],
    [
      "of more than the types that are allowed",
      withLine("packages/gateway/core/index.ts", 'export * from "../fronts/front.js";'),
      "packages/gateway/core/index.ts:3 imports packages/gateway/fronts/front.ts\n  of which packages/gateway/core/ may import types alone (page.md:9)",
    ],
    [
      "of code for tests",
      { "packages/gateway/turn/event.ts": 'import "../../../testing/manual-clock.js";' },
      "packages/gateway/turn/event.ts:1 imports testing/manual-clock.ts\n  which is for tests",
    ],
    [
      "of another package by its path",
      withLine("packages/cli/main.ts", 'import "../gateway/core/index.js";'),
      "packages/cli/main.ts:3 imports packages/gateway/core/index.ts\n  by its path: another package is imported by its name, @curlew/gateway",
    ],
    [
      "of a package that is no dependency",
      withLine("packages/cli/main.ts", 'import "@curlew/wire/gen/agent.js";'),
      "packages/cli/main.ts:3 imports packages/wire/gen/agent.ts\n  but packages/cli/package.json does not depend on @curlew/wire",
    ],
    [
      "of what another package does not export, or of its type,",
      withLine("packages/cli/main.ts", 'export type Run = import("@curlew/gateway/core/run.js").Run;'),
      "packages/cli/main.ts:3 imports packages/gateway/core/run.ts\n  but packages/gateway/package.json does not export ./core/run.js",
    ],
  ])("%s is refused with its location and the reason", (_, changes, fault) => {
    expect(judge(changes)).toContainEqual(fault);
  });

  it("is found by the parser in every form, and nowhere else", () => {
    const text = [
      'import a, { type B } from "./a.js";',
      'import type { C } from "../c.js";',
      'export * from "@curlew/wire/d.js"; // import "./no.js"',
      'export type { E } from "./e.js";',
      'const f = await import("./f.js");',
      'type G = import("./g.js").G;',
      'const no = "import \\"./no.js\\""; import "node:fs"; import "hono";',
    ].join("\n");
    expect(importsIn(text).map(({ line, from, isType }) => [line, from, isType])).toEqual([
      [1, "./a.js", false],
      [2, "../c.js", true],
      [3, "@curlew/wire/d.js", false],
      [4, "./e.js", true],
      [5, "./f.js", false],
      [6, "./g.js", true],
    ]);
  });
});

describe("the table", () => {
  it("names every room, and every folder right in a package", () => {
    const changes = {
      "packages/gateway/store/disk.ts": "",
      "packages/cli/odd/file.ts": "",
      "packages/gateway/odd.ts": "",
    };
    expect(judge(changes)).toEqual([
      "packages/gateway/store: no row of the table has this room",
      "packages/cli/odd: no row of the table has this room",
      "packages/gateway/odd.ts: no row of the table has this room",
    ]);
  });

  it("names no missing room", () => {
    expect(judge({}, { rows: [...goodRows, "| `cli/cache/` | gone | nothing further |"] })).toEqual([
      "page.md:11: there is no room packages/cli/cache/",
    ]);
  });

  it("allows nothing that is not needed, and no door that nothing uses", () => {
    const rows = goodRows
      .with(1, "| `gateway/turn/` (also `old.ts`) | the model | `core/` |")
      .with(5, "| `cli/` | the program | nothing further |");
    expect(judge({}, { rows })).toEqual([
      "page.md:6: the row allows `core/`, which nothing there imports: take it out of the row",
      "page.md:6: nothing uses the door old.ts: take it out of the row",
    ]);
  });

  it.each(["the clock", "types of clock.ts", "`turn/` and `fronts/`", ""])(
    "is refused where it is vague: %j",
    (words) => {
      const [fault] = judge({}, { rows: goodRows.with(5, `| \`cli/\` | the program | ${words} |`) });
      expect(fault).toContain(`page.md:10: "${words}" says nothing to the check`);
    },
  );

  it("must exist", () => {
    expect(readTable("# A page\n\n## Rooms\n", "page.md").faults).toEqual([
      expect.stringContaining("there is no table"),
    ]);
  });
});

it("a package.json that depends on or exports what nothing uses is refused", () => {
  const [wire, gateway, cli] = goodManifests;
  const manifests = [
    wire,
    { ...gateway, exports: { ...gateway.exports, "./turn/event.js": "./turn/event.ts" } },
    { ...cli, dependencies: { ...cli.dependencies, "@curlew/wire": "1" } },
  ];
  expect(judge({}, { manifests })).toEqual([
    "packages/gateway/package.json: exports ./turn/event.js, which no other package imports: take it out",
    "packages/cli/package.json: depends on @curlew/wire, which nothing there imports: take it out",
  ]);
});

describe("a cycle", () => {
  it("between rooms is refused, even where no file is in one and types alone lead back", () => {
    const rows = goodRows.with(1, "| `gateway/turn/` | the model | types of `core/` |");
    const changes = { "packages/gateway/turn/other.ts": 'import type { Run } from "../core/index.js";' };
    expect(judge(changes, { rows })).toContainEqual(
      expect.stringMatching(
        /^packages\/gateway\/core, .*packages\/gateway\/turn: a cycle of imports \(types count too\)/,
      ),
    );
  });

  it("between packages is refused whatever their package.json files say", () => {
    const manifests = goodManifests.with(0, {
      ...goodManifests[0],
      dependencies: { "@curlew/gateway": "1" },
    });
    const changes = { "packages/wire/gen/agent.ts": 'import "@curlew/gateway/core/index.js";' };
    expect(judge(changes, { manifests })).toEqual([
      "packages/gateway, packages/wire: a cycle of imports (types count too)\n" +
        "  packages/gateway/core/run.ts:3 imports packages/wire\n  packages/wire/gen/agent.ts:1 imports packages/gateway",
    ]);
  });

  it("between files of a room is refused", () => {
    const changes = {
      "packages/gateway/turn/event.ts": 'import "./a.js";',
      "packages/gateway/turn/a.ts": 'import type {} from "./event.js";',
    };
    expect(judge(changes)).toEqual([
      expect.stringContaining("packages/gateway/turn/a.ts, packages/gateway/turn/event.ts: a cycle of imports"),
    ]);
  });

  it("is not one if the parts of a room use files beside them, and a file beside them uses the parts", () => {
    expect(judge({ "packages/gateway/fronts/chat/stored/two.ts": 'import "../parse.js";' })).toEqual([]);
  });
});

describe("an exception", () => {
  const sibling = { "packages/gateway/fronts/messages/index.ts": 'import "../chat/parse.js";' };
  const entry = { from: "packages/gateway/fronts/messages/", to: "packages/gateway/fronts/chat/", reason: "It moves." };
  const loop = {
    "packages/gateway/turn/event.ts": 'import "./a.js";',
    "packages/gateway/turn/a.ts": 'import "./event.js";',
  };
  const cycle = { cycle: Object.keys(loop), reason: "Two types that hold each other." };

  it("lets an import or a cycle stand", () => {
    expect(judge({ ...sibling, ...loop }, { exceptions: [entry, cycle] })).toEqual([]);
  });

  it("needs a reason", () => {
    expect(judge(sibling, { exceptions: [{ ...entry, reason: " " }] })).toEqual([
      expect.stringContaining("without a reason"),
    ]);
  });

  it("is an error once it is not needed", () => {
    expect(judge({}, { exceptions: [entry, cycle] })).toEqual([
      expect.stringContaining(
        "packages/gateway/fronts/messages/ -> packages/gateway/fronts/chat/ is excepted without need",
      ),
      expect.stringContaining("the cycle of packages/gateway/turn/event.ts, packages/gateway/turn/a.ts is excepted"),
    ]);
  });
});
