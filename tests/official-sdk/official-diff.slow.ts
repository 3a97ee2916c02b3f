import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { spawnCurlew } from "../../testing/programs/curlew-process.js";
import { laboratoryFile } from "../../testing/programs/main-file.js";
import { installSdk } from "./install.js";

const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });

it("reports the fields that only Cursor's SDK or only Curlew sends", async () => {
  const home = mkdtempSync(join(tmpdir(), "curlew-official-home-"));
  const env = {
    CURLEW_HOME: home,
    CURLEW_SDK_PATH: fileURLToPath(sdk.module),
    PATH: [dirname(sdk.node), process.env.PATH].join(delimiter),
  };
  const { code, stdout, stderr } = await spawnCurlew(["official", "--json"], { env, main: laboratoryFile }).finished;
  rmSync(home, { recursive: true, force: true });
  expect([code, stderr]).toEqual([0, ""]);
  const { differences }: { differences: Record<string, string>[] } = JSON.parse(stdout);
  expect(differences.every(({ from }) => from === "client")).toBe(true);
  const only = (side: "one" | "other") =>
    differences
      .filter((each) => each[side] === "absent")
      .map(({ call, message, field }) => `${call} ${message} ${field}`);
  expect(only("other")).toContain("Run run_request 1 run_request / 8 custom_system_prompt");
  expect(only("other")).toContain("/aiserver.v1.AnalyticsService/TrackEvents  ");
  expect(only("one")).toContain("Run  header x-cursor-agent-exclude-tools");
  // Both send the same messages.
  expect(differences.filter(({ field, message }) => field === "" && message !== "")).toEqual([]);
});
