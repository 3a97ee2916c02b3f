import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chat } from "../testing/clients/tool-client.js";
import { startCurlew } from "../testing/programs/curlew-process.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

async function serve(args: readonly string[]) {
  const simulator = await openSimulator();
  const env = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_lost_folder", CURLEW_BACKEND: "agent" };
  const running = startCurlew(["serve", "--json", "--port", "0", ...args], { env });
  const [line] = await running.printed("stdout", /^.*\n/);
  const { url }: { url: string } = JSON.parse(line);
  return { running, say: (text: string) => chat(url, [{ role: "user", content: `[[say ${text}]]` }]) };
}

it("keeps running and exits cleanly after its state folder was deleted", async () => {
  const home = temporaryFolder();
  const folder = join(home, "state");
  const { running, say } = await serve(["--state-folder", folder]);
  expect((await say("one")).text).toBe("one");
  expect(existsSync(folder)).toBe(true);
  rmSync(folder, { recursive: true });
  expect((await say("two")).text).toBe("two");
  running.signal("SIGTERM");
  const { code, stderr } = await running.finished;
  expect(code).toBe(0);
  expect(stderr).not.toContain("    at ");
});

it.skipIf(process.platform !== "linux")(
  "keeps its state in memory if the folder cannot be created in an existing parent",
  async () => {
    const { running, say } = await serve(["--state-folder", "/proc/nope/state"]);
    expect((await say("one")).text).toBe("one");
    running.signal("SIGTERM");
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toContain("Conversation state is kept in memory only: /proc/nope/state cannot be used (ENOENT");
  },
);
