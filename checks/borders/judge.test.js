import { describe, expect, it } from "vitest";
import { importsIn, linkFiles } from "./find-imports.js";
import { judgeBorders } from "./judge.js";
import { readTable } from "./read-table.js";

const goodRows = [
  "| `src/turn/` | the model | nothing of ours |",
  "| `src/clock.ts`, `src/closest.ts` | small helpers | nothing of ours |",
  "| `src/server.ts` | the routes | `fronts/<dialect>/`, types of `gateway/` |",
  "| `src/fronts/` | what dialects share | `turn/` |",
  "| `src/fronts/<dialect>/` (door) | a dialect each | `turn/`, `fronts/`, all of `fronts/<dialect>/` |",
  "| `src/fronts/chat/stored/` | replies that are kept | `fronts/chat/`, `clock.ts` |",
  "| `src/gateway/` (door) | runs a turn | `turn/`, `closest.ts` |",
  "| `simulator/` | the other side | nothing of ours |",
];
const goodTree = {
  "src/turn/event.ts": "",
  "src/clock.ts": "export interface Clock {}",
  "src/closest.ts": "",
  "src/server.ts":
    'import { chat } from "./fronts/chat/index.js";\nimport type { Gateway } from "./gateway/index.js";\nimport "node:http";',
  "src/fronts/front.ts": 'import type { TurnEvent } from "../turn/event.js";',
  "src/fronts/chat/index.ts": 'export { keep } from "./stored/keep.js";\nimport "../front.js";',
  "src/fronts/chat/parse.ts": 'import "../../turn/event.js";',
  "src/fronts/chat/stored/keep.ts": 'import "../../../clock.js";\nimport type { P } from "../parse.js";',
  "src/fronts/chat/parse.test.ts": 'import "../../gateway/run.js";',
  "src/fronts/messages/index.ts": "",
  "src/gateway/index.ts": 'export { run } from "./run.js";',
  "src/gateway/run.ts": 'import "../turn/event.js";\nexport const late = () => import("../closest.js");',
  "src/gateway/fixtures/sample.ts": 'import "../../server.js";',
  "simulator/simulator.ts": "",
};

function judge(changes = {}, { rows = goodRows, exceptions = [] } = {}) {
  return judgeBorders(tableOf(rows), linkFiles({ ...goodTree, ...changes }), exceptions);
}

/** The first row is in line 5. */
function tableOf(rows) {
  const page = ["## Rooms", "", "| Room | What it is for | May import |", "|---|---|---|", ...rows, "", "## Decisions"];
  return readTable(page.join("\n"), "page.md");
}

describe("a tree that keeps to its table", () => {
  it("has no faults", () => {
    expect(judge()).toEqual([]);
  });

  it("may have tests that import everything, even past doors", () => {
    expect(judge({ "src/turn/event.test.ts": 'import "../fronts/chat/stored/keep.js";' })).toEqual([]);
  });
});

describe("an import", () => {
  it.each([
    [
      "outside the row of its room",
      { "src/turn/event.ts": '\nimport { clock } from "../clock.js";' },
      "src/turn/event.ts:2 imports src/clock.ts\n  but the row of src/turn/ does not allow src/clock.ts (page.md:5)",
    ],
    [
      "of a room inside a sibling",
      { "src/fronts/messages/index.ts": 'import "../chat/stored/keep.js";' },
      "src/fronts/messages/index.ts:1 imports src/fronts/chat/stored/keep.ts\n  but src/fronts/chat/ is a sibling of src/fronts/messages/: what both need belongs in a room under them (page.md:9)",
    ],
    [
      "past a door",
      { "src/server.ts": `${goodTree["src/server.ts"]}\nimport "./fronts/chat/parse.js";` },
      "src/server.ts:4 imports src/fronts/chat/parse.ts\n  past the door src/fronts/chat/index.ts (page.md:9)",
    ],
    [
      "of more than the types that are allowed",
      { "src/server.ts": 'import "./fronts/chat/index.js";\nexport * from "./gateway/index.js";' },
      expect.stringContaining(
        "src/server.ts:2 imports src/gateway/index.ts\n  of which src/server.ts may import types alone",
      ),
    ],
    [
      "of code for tests",
      { "src/turn/event.ts": 'import "../../testing/manual-clock.js";' },
      "src/turn/event.ts:1 imports testing/manual-clock.ts\n  which is for tests",
    ],
    [
      "that is lazy, or the import of a type instead of it,",
      {
        "src/turn/event.ts":
          'export const a = () => import("../clock.js");\nexport type B = import("../closest.js").B;',
      },
      expect.stringContaining("src/turn/event.ts:1 imports src/clock.ts"),
    ],
  ])("%s is refused with its location and the row", (_, changes, fault) => {
    expect(judge(changes)).toContainEqual(fault);
  });

  it("of a sibling is refused whatever the row says", () => {
    const [row = ""] = goodRows.slice(4, 5);
    const rows = goodRows.with(4, row.replace("`fronts/`", "`fronts/`, `fronts/chat/`"));
    const changes = { "src/fronts/messages/index.ts": 'import "../chat/index.js";' };
    expect(judge(changes, { rows })).toContainEqual(expect.stringContaining("is a sibling of src/fronts/messages/"));
  });

  it("of a room inside a room with a door goes by the outer door", () => {
    const rows = goodRows.with(2, "| `src/server.ts` | the routes | all of `fronts/`, types of `gateway/` |");
    const text = `${goodTree["src/server.ts"]}\nimport "./fronts/chat/stored/keep.js";`;
    expect(judge({ "src/server.ts": text }, { rows })).toEqual([
      "src/server.ts:4 imports src/fronts/chat/stored/keep.ts\n  past the door src/fronts/chat/index.ts (page.md:9)",
    ]);
  });

  it("is found by the parser in every form, and nowhere else", () => {
    const text = [
      'import a, { type B } from "./a.js";',
      'import type { C } from "../c.js";',
      'export * from "./d.js"; // import "./no.js"',
      'export type { E } from "./e.js";',
      'const f = await import("./f.js");',
      'type G = import("./g.js").G;',
      'const no = "import \\"./no.js\\""; import "node:fs"; import "hono";',
    ].join("\n");
    expect(importsIn(text).map(({ line, from, isType }) => [line, from, isType])).toEqual([
      [1, "./a.js", false],
      [2, "../c.js", true],
      [3, "./d.js", false],
      [4, "./e.js", true],
      [5, "./f.js", false],
      [6, "./g.js", true],
    ]);
  });
});

describe("the table", () => {
  it("names every room", () => {
    expect(judge({ "src/store/disk.ts": "", "src/fronts/chat/socket/open.ts": "", "src/odd.ts": "" })).toEqual([
      "src/store/: this room is missing from the table of rooms",
      "src/fronts/chat/socket/: this room is missing from the table of rooms",
      "src/odd.ts: this room is missing from the table of rooms",
    ]);
  });

  it("names no missing room", () => {
    const rows = [...goodRows, "| `src/catalogue.ts`, `src/cache/` | gone | nothing of ours |"];
    expect(judge({}, { rows })).toEqual([
      "page.md:13: there is no room src/catalogue.ts",
      "page.md:13: there is no room src/cache/",
    ]);
  });

  it("allows nothing that is not needed", () => {
    const rows = goodRows.with(0, "| `src/turn/` | the model | `closest.ts` |");
    expect(judge({}, { rows })).toEqual([
      "page.md:5: the row allows `closest.ts`, which nothing there imports: take it out of the row",
    ]);
  });

  it("marks the doors that exist, all of them", () => {
    const rows = goodRows
      .with(3, "| `src/fronts/` (door) | what dialects share | `turn/` |")
      .with(6, "| `src/gateway/` | runs a turn | `turn/`, `closest.ts` |");
    expect(judge({}, { rows }).filter((fault) => fault.startsWith("page.md"))).toEqual([
      "page.md:8: src/fronts/ has no index.ts that could be its door",
      'page.md:11: src/gateway/ has an index.ts: mark it with "(door)", or take the file away',
    ]);
  });

  it("may name another door for others to use, and no door that nothing uses", () => {
    const [row = ""] = goodRows.slice(4, 5);
    const rows = goodRows.with(4, row.replace("(door)", "(door, also `names.ts`)"));
    const changes = {
      "src/server.ts": `${goodTree["src/server.ts"]}\nimport "./fronts/chat/names.js";`,
      "src/fronts/chat/names.ts": "",
    };
    expect(judge(changes, { rows })).toEqual([]);
    expect(judge(changes)).toEqual([expect.stringContaining("past the door src/fronts/chat/index.ts")]);
    expect(judge({}, { rows })).toEqual(["page.md:9: nothing uses the door names.ts: take it out of the row"]);
  });

  it.each(["the clock", "types of clock.ts", "`turn/` and `clock.ts`", ""])(
    "is refused where it is vague: %j",
    (words) => {
      const [fault] = judge({}, { rows: goodRows.with(6, `| \`src/gateway/\` (door) | runs a turn | ${words} |`) });
      expect(fault).toContain(`page.md:11: "${words}" says nothing to the check`);
    },
  );

  it("must exist", () => {
    expect(readTable("# A page\n\n## Roms\n", "page.md").faults).toEqual([
      expect.stringContaining("there is no table"),
    ]);
  });
});

describe("a cycle", () => {
  it("between rooms is refused, even where no file is in one and types alone lead back", () => {
    const rows = goodRows.with(0, "| `src/turn/` | the model | types of `gateway/` |");
    const changes = { "src/turn/other.ts": 'import type { Run } from "../gateway/index.js";' };
    expect(judge(changes, { rows })).toEqual([
      "src/gateway, src/turn: a cycle of imports (types count too)\n" +
        "  src/gateway/run.ts:1 imports src/turn\n  src/turn/other.ts:1 imports src/gateway",
    ]);
  });

  it("between files of a room is refused", () => {
    const changes = { "src/turn/event.ts": 'import "./a.js";', "src/turn/a.ts": 'import type {} from "./event.js";' };
    expect(judge(changes)).toEqual([expect.stringContaining("src/turn/a.ts, src/turn/event.ts: a cycle of imports")]);
  });

  it("is not one if the file that leads back is a room of its own, unless that leads on", () => {
    const rows = [
      ...goodRows
        .with(0, "| `src/turn/` | the model | `gateway/names.ts` |")
        .with(6, "| `src/gateway/` | runs a turn | `turn/`, `closest.ts` |"),
      "| `src/gateway/names.ts` | names | nothing of ours |",
    ];
    const changes = { "src/turn/event.ts": 'import "../gateway/names.js";', "src/gateway/names.ts": "" };
    const isCycle = (fault) => fault.includes("a cycle of imports");
    expect(judge(changes, { rows }).filter(isCycle)).toEqual([]);
    const leadsOn = { ...changes, "src/gateway/names.ts": 'import "./run.js";' };
    expect(judge(leadsOn, { rows }).filter(isCycle)).toEqual([
      expect.stringContaining("src/gateway, src/gateway/names.ts, src/turn: a cycle of imports"),
    ]);
  });

  it("is not one if the parts of a room use files beside them, and a file beside them uses the parts", () => {
    expect(judge({ "src/fronts/chat/stored/two.ts": 'import "../parse.js";' })).toEqual([]);
  });
});

describe("an exception", () => {
  const sibling = { "src/fronts/messages/index.ts": 'import "../chat/parse.js";' };
  const entry = { from: "src/fronts/messages/", to: "src/fronts/chat/", reason: "It moves soon." };
  const loop = { "src/turn/event.ts": 'import "./a.js";', "src/turn/a.ts": 'import "./event.js";' };
  const cycle = { cycle: ["src/turn/event.ts", "src/turn/a.ts"], reason: "Two types that hold each other." };

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
      expect.stringContaining("src/fronts/messages/ -> src/fronts/chat/ is excepted without need"),
      expect.stringContaining("the cycle of src/turn/event.ts, src/turn/a.ts is excepted without need"),
    ]);
  });
});
