import { describe, expect, it } from "vitest";
import { judgeWorkflow } from "./judge.js";
import { createParser } from "./parse.js";

const SHA = "de0fac2e4500dabe0009e67214ff5f5447ce83dd";
const expression = ["$", "{{ github.ref_name }}"].join("");
const good = `on:
  push:
permissions: {}
jobs:
  one:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@${SHA} # v6.0.2
        with:
          persist-credentials: false
      - run: echo "$REF"
        env:
          REF: \${{ github.ref_name }}
`;

describe("a workflow", () => {
  it("may be this one", async () => {
    const parse = await createParser();
    expect(judgeWorkflow(good)).toEqual([]);
    expect(parse("good.yml", good)).toEqual([]);
  });

  it.each([
    [`@${SHA} # v6.0.2`, "@v6 # v6.0.2", "is not pinned to a commit"],
    [`@${SHA} # v6.0.2`, `@${SHA}`, "does not say its version"],
    ["permissions: {}\n", "", "does not limit its permissions"],
    ["permissions: {}\n", "permissions: write-all\n", "named one by one"],
    ["    permissions:\n      contents: read\n", "", "a job does not name its permissions"],
    ["    timeout-minutes: 5\n", "", "has no time limit"],
    ["ubuntu-24.04", "ubuntu-latest", "an image that changes"],
    ['echo "$REF"', `echo ${expression}`, "an expression is written into a script"],
    ["persist-credentials: false", "persist-credentials: true", "leaves its token"],
    ["  push:\n", "  pull_request_target:\n", "rights that strangers may use"],
  ])("may not have %j as %j", (from, to, what) => {
    expect(good).toContain(from);
    expect(judgeWorkflow(good.replace(from, to)).map((fault) => fault.what)).toEqual([expect.stringContaining(what)]);
  });

  it.each([
    ["contents: write", "npm ci --no-audit", 2],
    ["id-token: write", "npm ci && npm publish a.tgz", 2],
    ["contents: write", "npm run build", 2],
    ["id-token: write", "node release/sbom.js", 2],
    ["contents: write", "npx something", 2],
    ["id-token: write", "npm publish a.tgz --ignore-scripts", 1],
    ["packages: write", "npm ci", 0],
    ["contents: read", "npm ci", 0],
  ])("with %s that runs %j, in a checkout, has %i faults", (right, command, count) => {
    const workflow = good.replace("contents: read", right).replace('echo "$REF"', command);
    const faults = judgeWorkflow(workflow).map((fault) => fault.what);
    expect(faults).toEqual(Array(count).fill("a job that may publish installs, builds or runs code of a checkout"));
  });

  it.each([
    ["contents: read", "contents: maybe"],
    ["steps:", "stepps:"],
    ["github.ref_name", "github.ref_name("],
  ])("must be one for GitHub: not with %j as %j", async (from, to) => {
    const parse = await createParser();
    expect(parse("bad.yml", good.replace(from, to))).not.toEqual([]);
  });
});
