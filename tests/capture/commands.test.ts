import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCapture } from "../../packages/simulator/index.js";
import { differencesBesidesTimes } from "../../testing/gateway/same-messages.js";
import { runCurlew, spawnCurlew } from "../../testing/programs/curlew-process.js";
import { laboratoryFile } from "../../testing/programs/main-file.js";
import { openSimulator } from "../../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../../testing/temporary-folder.js";

async function simulate(args: readonly string[] = []): Promise<Record<string, string>> {
  const [, url = ""] = await spawnCurlew(["simulate", ...args]).printed("stdout", /^(http\S+)\n/);
  return { CURSOR_BACKEND_URL: url, CURSOR_API_KEY: "crsr_capture_0123456789abcdef" };
}

async function captureDoctor(file: string, env: Readonly<Record<string, string>>) {
  return runCurlew(["doctor", "--live", "--yes", "--port", "0", "--capture", file], { env });
}

/** `npm run protocol:diff` */
async function protocolDiff(args: readonly string[]) {
  return spawnCurlew(["diff", ...args], { main: laboratoryFile }).finished;
}

describe("curlew doctor --capture", () => {
  it("writes a capture that the simulator can replay and protocol:diff can compare", async () => {
    const folder = temporaryFolder();
    const [first, second] = [join(folder, "first.jsonl"), join(folder, "second.jsonl")];
    const recorded = await captureDoctor(first, await simulate());
    expect(recorded.stdout).toContain(`The capture is in ${first}\n`);
    expect(recorded.stderr).toMatch(/agent\.v1\.AgentService\/Run {2}\d+ sent, \d+ received, end-frame/);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    expect(readFileSync(first, "utf8")).not.toContain("crsr_");

    const replayed = await captureDoctor(second, await simulate(["--replay", first]));
    expect(replayed.stdout).toMatch(/^as expected +continuation /m);
    expect(differencesBesidesTimes(readCapture(first), readCapture(second))).toEqual([]);

    const same = await protocolDiff([first]);
    expect(same).toMatchObject({ code: 0, stdout: "The fields of the capture and of the simulator are the same.\n" });
    const refused = await protocolDiff([first, "--model", "raw/sim-error-10"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^The first turn failed\. insufficient_quota: /);
    writeFileSync(
      first,
      readFileSync(first, "utf8").replaceAll('"no":14,"name":"turn_ended"', '"no":77,"name":"later"'),
    );
    const other = await protocolDiff([first, second]);
    expect(other.code).toBe(1);
    expect(other.stdout.split("\n")).toEqual([
      `server > client  Run interaction_update.turn_ended, field 77 later: message in ${first}, absent in ${second}`,
      `server > client  Run interaction_update.turn_ended, field 14 turn_ended: absent in ${first}, message in ${second}`,
      "",
    ]);
  });

  it("makes no turns when the capture cannot be written", async () => {
    const folder = temporaryFolder();
    for (const file of [folder, join(folder, "missing", "capture.jsonl")]) {
      const { code, stdout, stderr } = await captureDoctor(file, await simulate());
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^curlew.*The capture could not be written: /s);
      expect(stderr).not.toContain("turns");
    }
  });

  it("still prints the results when the capture cannot be written at the end", async () => {
    const folder = join(temporaryFolder(), "gone");
    mkdirSync(folder);
    const simulator = await openSimulator({ onClientMessage: () => rmSync(folder, { recursive: true, force: true }) });
    const env = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_capture_0123456789abcdef" };
    const args = ["doctor", "--live", "--yes", "--port", "0", "--json", "--capture", join(folder, "capture.jsonl")];
    const { code, stdout, stderr } = await runCurlew(args, { env });
    expect(code).toBe(1);
    expect(stderr).toContain("The capture cannot be written");
    expect(stderr).not.toContain("Please report it");
    expect(JSON.parse(stdout)).toMatchObject({ probes: expect.any(Array), capture: null });
  });

  it("requires --live", async () => {
    const { code, stderr } = await runCurlew(["doctor", "--capture", "never.jsonl"]);
    expect(code).toBe(2);
    expect(stderr).toContain("curlew doctor --live --capture FILE");
  });
});

describe("curlew serve --record", () => {
  const prompt = "The hedgehog of ada@example.com sleeps in /home/ada. [[say Sleep well, hedgehog.]]";

  it("serves a client, lists what it recorded, and writes no text of the conversation", async () => {
    const file = join(temporaryFolder(), "conversation.jsonl");
    const args = ["serve", "--record", file, "--yes", "--backend", "simulator", "--port", "0", "--json"];
    const running = spawnCurlew(args);
    const [line] = await running.printed("stdout", /^.*\n/);
    const { url }: { url: string } = JSON.parse(line);
    const body = JSON.stringify({ model: "auto", messages: [{ role: "user", content: prompt }] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(await response.text()).toContain("Sleep well, hedgehog.");
    running.signal("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toContain(`The capture is in ${file}\n`);
    expect(stderr).toContain("/agent.v1.AgentService/Run");
    const text = readFileSync(file, "utf8");
    expect(text).not.toMatch(/hedgehog|sleep|ada@|home\/ada/i);
    expect(readCapture(file).header).toMatchObject({ by: "record", isWhole: true });

    const refused = await protocolDiff([file]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("is a capture of one conversation");
  });

  it.each([
    ["a file that cannot be written", ["/nowhere/a.jsonl", "--yes"], "The capture could not be written"],
    ["no terminal for the confirmation", ["a.jsonl"], "curlew serve --record FILE --yes"],
  ])("does not start with %s", async (_, args, hint) => {
    const { code, stderr } = await runCurlew(["serve", "--record", ...args, "--backend", "simulator", "--port", "0"]);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });
});

it("curlew serve --record refuses backends other than agent", async () => {
  const env = { CURSOR_API_KEY: "crsr_capture_0123456789abcdef" };
  const { code, stderr } = await runCurlew(
    ["serve", "--record", "a.jsonl", "--yes", "--backend", "chat", "--port", "0"],
    { env },
  );
  expect(code).toBe(2);
  expect(stderr).toContain("this gateway uses chat. Run: curlew serve --record FILE --backend agent");
});

describe("a file that is not a capture", () => {
  it.each([
    ["curlew simulate", "--replay: ", (file: string) => runCurlew(["simulate", "--replay", file])],
    ["npm run protocol:diff", "", (file: string) => protocolDiff([file])],
  ])("is refused by %s", async (_, option, read) => {
    const file = join(temporaryFolder(), "other.jsonl");
    writeFileSync(file, "{}\n");
    const { code, stderr } = await read(file);
    expect(code).toBe(2);
    expect(stderr).toContain(`${option}${file}, line 1:`);
  });
});
