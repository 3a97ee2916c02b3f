import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Simulator } from "../packages/simulator/index.js";
import { AiService } from "../packages/wire/gen/aiserver_v1_pb.js";
import { postJson } from "../testing/clients/post-json.js";
import { runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

/** Clears the screen in two ways, sets the window title, overwrites the line and deletes a character. */
const HOSTILE = "\u001B[2J\u001B]0;pwned\u0007\u009B2J\rgone\u0008\u007F";
const CONTROLS = /[^\P{Control}\n\t]/u;
const mcpServer = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));

let simulator: Simulator;
let folder = "";

/** A Cursor with control characters in its model list and plan name. */
beforeAll(async () => {
  const { output } = AiService.method.getUsableModels;
  const list = create(output, {
    models: [{ modelId: `m${HOSTILE}`, displayName: `M${HOSTILE}`, displayModelId: "m" }],
  });
  const answers: Record<string, Buffer> = {
    GetUsableModels: Buffer.from(toBinary(output, list)),
    GetPlanInfo: Buffer.from(JSON.stringify({ planInfo: { planName: `Pro${HOSTILE}` } })),
  };
  folder = mkdtempSync(join(tmpdir(), "curlew-hostile-"));
  simulator = await startSimulator({
    takeOver(request, response) {
      const answer = answers[request.url?.split("/").at(-1) ?? ""];
      if (answer === undefined) return false;
      request.resume();
      response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" });
      response.end(answer);
      return true;
    },
  });
});
afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[], { isTerminal }: { isTerminal: boolean }) {
  const env = {
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_API_KEY: "crsr_hostile",
    NO_COLOR: "1",
  };
  return runCurlew(args, { env, columns: isTerminal ? 200 : undefined });
}

/** Removes the output of Curlew's own spinner. */
const withoutSpinner = (text: string) => text.replaceAll("\r\u001B[K", "");

function mcpSettings(): string {
  const file = join(folder, "curlew.json");
  const hostile = { command: process.execPath, args: [mcpServer, "hostile"], allow: ["echo"] };
  writeFileSync(file, JSON.stringify({ mcp: { servers: { hostile } } }));
  return file;
}

const talk = `[[think ${HOSTILE}]] [[say ${HOSTILE}]]`;

const commands: readonly { name: string; args: () => string[] }[] = [
  { name: "ask", args: () => ["ask", talk] },
  { name: "ask --json", args: () => ["ask", "--json", talk] },
  { name: "models", args: () => ["models"] },
  { name: "models --json", args: () => ["models", "--json"] },
  { name: "usage", args: () => ["usage"] },
  { name: "usage --json", args: () => ["usage", "--json"] },
  { name: "mcp", args: () => ["mcp", "--config", mcpSettings()] },
  { name: "mcp --json", args: () => ["mcp", "--json", "--config", mcpSettings()] },
  { name: "an error", args: () => ["ask", "--model", `no-such-model${HOSTILE}`, "hi"] },
];

describe("text from a model or server cannot control the terminal", () => {
  it.each(commands)("in the output of $name", async ({ args }) => {
    const { stdout, stderr } = await run(args(), { isTerminal: true });
    expect(stdout).not.toMatch(CONTROLS);
    expect(withoutSpinner(stderr)).not.toMatch(CONTROLS);
    expect(stdout + stderr).toContain("\u241B");
  });

  it("and is unchanged in a pipe", async () => {
    const { stdout, stderr } = await run(["ask", "--thinking", talk], { isTerminal: false });
    expect(stdout).toContain(HOSTILE);
    expect(stderr).toContain(HOSTILE);
    expect((await run(["models"], { isTerminal: false })).stdout).toContain(HOSTILE);
    const json = await run(["models", "--json"], { isTerminal: false });
    expect(JSON.parse(json.stdout)[0].name).toBe(`M${HOSTILE}`);
  });
});

it("text from a client cannot control the terminal of the gateway", async () => {
  const env = { NO_COLOR: "1" };
  const gateway = await serveCurlew([], { env, columns: 200 });
  const body = { model: `x${HOSTILE}`, messages: [{ role: "user", content: "hi" }] };
  await postJson(`${gateway.url}/v1/chat/completions`, body);
  await fetch(`${gateway.url}/${encodeURIComponent(HOSTILE)}`);
  const [log] = await gateway.printed("stderr", /^[\s\S]*GET .*\n/);
  expect(log).toContain("pwned");
  expect(log).not.toMatch(CONTROLS);
});
