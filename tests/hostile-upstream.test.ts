import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

const SECRET = "planted-in-a-file-of-the-owner";

let system: WholeSystem;
let folder = "";

beforeEach(async () => {
  system = await startWholeSystem();
  folder = mkdtempSync(join(tmpdir(), "curlew-owner-"));
  writeFileSync(join(folder, "notes"), SECRET);
});
afterEach(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A server that asks for everything that Cursor's own client would do for it on this machine. */
function demands(address: string): string {
  const asked: [string, object][] = [
    ["shell", { command: `cat ${folder}/notes; touch ${folder}/made` }],
    ["shell_stream", { command: `cat ${folder}/notes; touch ${folder}/made` }],
    ["background_shell_spawn", { command: `touch ${folder}/made`, workingDirectory: folder }],
    ["pi_bash", { command: `cat ${folder}/notes; touch ${folder}/made` }],
    ["read", { path: `${folder}/notes` }],
    ["redacted_read", { path: `${folder}/notes` }],
    ["pi_read", { path: `${folder}/notes` }],
    ["write", { path: `${folder}/made`, fileText: "x" }],
    ["pi_write", { path: `${folder}/made`, content: "x" }],
    ["pi_edit", { path: `${folder}/notes`, edits: [{ oldText: SECRET, newText: "gone" }] }],
    ["delete", { path: `${folder}/notes` }],
    ["ls", { path: folder }],
    ["grep", { pattern: "planted", path: folder }],
    ["fetch", { url: address }],
  ];
  return `${asked.map(([kind, args]) => `[[native ${kind} ${JSON.stringify(args)}]]`).join(" then ")} then [[say done]]`;
}

it("a server gets nothing done on the gateway's machine, whatever it asks for", async () => {
  let visits = 0;
  const here = createServer((_, response) => {
    visits++;
    response.end(SECRET);
  });
  await new Promise<void>((resolve) => void here.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(here.address() as AddressInfo).port}/`;
  const reply = await chat(system.url, [{ role: "user", content: demands(address) }], { tools: [tool("look")] });
  here.close();
  expect(reply).toMatchObject({ calls: [], finish: "stop" });
  // The simulated model says what came of each demand.
  expect(reply.text.match(/native \w+: (?:rejected|error)/g)).toHaveLength(14);
  expect(reply.text).toContain("done");
  expect(reply.text).not.toContain(SECRET);
  expect([visits, readdirSync(folder), existsSync(join(folder, "made"))]).toEqual([0, ["notes"], false]);
  expect(readFileSync(join(folder, "notes"), "utf8")).toBe(SECRET);
});
