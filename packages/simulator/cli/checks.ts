import type { Parsed } from "./flags.js";
import { findModel, type ListedModel, listModels } from "./models.js";
import { isTrusted, type Workspace } from "./workspace.js";
import { Refused, type World } from "./world.js";

export type KeySource = "login" | "env" | "flag";

const NOT_LOGGED_IN =
  "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.";

/** The origin of the credential. Nothing goes over the network, so any well-formed key is accepted. */
export function findCredential({ env, scenario }: World, { options }: Parsed): KeySource | undefined {
  if (options.has("--auth-token")) return "flag";
  if (env.CURSOR_AUTH_TOKEN) return "env";
  const key = options.get("--api-key") ?? env.CURSOR_API_KEY;
  if (key === undefined) return scenario.loggedIn ? "login" : undefined;
  if (key === "" || (typeof key === "string" && key.startsWith("crsr_bad"))) {
    throw new Refused("\u001b[33m⚠ Warning: The provided API key is invalid.\u001b[39m");
  }
  return options.has("--api-key") ? "flag" : "env";
}

export function requireLogin(world: World, parsed: Parsed): KeySource {
  const source = findCredential(world, parsed);
  if (source === undefined) throw new Refused(NOT_LOGGED_IN);
  return source;
}

export function requireModel({ scenario }: World, { options }: Parsed): ListedModel {
  const models = listModels(scenario.models);
  const wanted = options.get("--model") ?? models[0]?.id ?? "auto";
  const model = typeof wanted === "string" ? findModel(models, wanted) : undefined;
  if (model !== undefined) return model;
  const available = models.map(({ id }) => id).join(", ");
  throw new Refused(`Cannot use this model: ${wanted}. Available models: ${available}`);
}

export function requireTrust(workspace: Workspace, { options }: Parsed): void {
  if (["--trust", "--force", "--yolo"].some((name) => options.has(name)) || isTrusted(workspace)) return;
  throw new Refused(
    [
      "⚠ Workspace Trust Required",
      "",
      "The agent can run code and change files in this folder:",
      "",
      `  ${workspace.path}`,
      "",
      "To go on, do one of these:",
      "  • run 'agent' interactively here and answer the question",
      "  • pass --trust, --yolo or -f if you trust this folder",
    ].join("\n"),
  );
}
