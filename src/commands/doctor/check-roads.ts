import { askCli, whyCliIsMissing } from "../../app/roads/cli-login.js";
import { findInstalledSdk } from "../../app/roads/sdk-login.js";
import type { BackendName } from "../../backends/backend.js";
import type { Settings } from "../../config/settings.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

/** As Cursor's page for its CLI has it. */
const INSTALL_CLI =
  process.platform === "win32"
    ? "irm 'https://cursor.com/install?win32=true' | iex"
    : "curl https://cursor.com/install -fsS | bash";

/** Whether the roads that turns may take have what they need on this machine. The agent's needs nothing but the account. */
export async function* checkRoads(names: readonly BackendName[], settings: Settings): AsyncGenerator<Finding> {
  if (names.includes("cli")) yield await checkCli(settings);
  if (names.includes("sdk")) yield await checkSdk(settings);
  if (names.includes("chat")) {
    yield warn(
      "chat",
      "Cursor has retired the old chat calls; they may end on any day.",
      "curlew serve --backend agent",
    );
  }
}

async function checkCli(settings: Settings): Promise<Finding> {
  const missing = await whyCliIsMissing(settings);
  if (missing !== undefined) return fail("cli", reasonOf(missing), INSTALL_CLI);
  try {
    const { path, version, login } = await askCli(settings);
    if (login === "logged-out") return fail("cli", `${path} (${version}) is not logged in.`, "cursor-agent login");
    return ok("cli", `${path} (${version}), ${login === "logged-in" ? "logged in" : "with a key of its own"}.`);
  } catch (thrown) {
    return fail("cli", reasonOf(thrown), "cursor-agent status");
  }
}

async function checkSdk(settings: Settings): Promise<Finding> {
  try {
    const { module, node } = await findInstalledSdk(settings);
    return ok("sdk", `${module}, run by ${node}.`);
  } catch (thrown) {
    return fail("sdk", reasonOf(thrown), "npm install @cursor/sdk");
  }
}
