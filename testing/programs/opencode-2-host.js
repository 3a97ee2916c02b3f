// Loads a plugin as OpenCode 2 does, from what its public sources say: it looks into the folder for a server.js or an index.js,
// takes the default export alone, and makes all edits again whenever it rebuilds its state. OpenCode 2 itself cannot be installed.
//   node testing/programs/opencode-2-host.js FOLDER provider|older [SETTINGS]
// It prints what was registered as one line of JSON, and unloads the plugin when its stdin ends. SETTINGS is what the user has
// written below `providers`, as JSON.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder = "", kind = "provider", settings = "{}"] = process.argv.slice(2);
const staying = setInterval(() => {}, 60_000); // OpenCode itself keeps running without the plugin
const left = new Promise((resolve) => process.stdin.resume().once("end", resolve));
try {
  const { id, setup } = await loadPlugin(folder);
  const host = createHost(JSON.parse(settings));
  const cleanup = await setup(host.contexts[kind]);
  process.stdout.write(`${JSON.stringify({ id, reloads: host.reloads, ...host.state() })}\n`);
  await left;
  if (typeof cleanup === "function") await cleanup();
  process.stdout.write(`${JSON.stringify({ unloaded: typeof cleanup === "function" })}\n`);
} catch (thrown) {
  process.stdout.write(`${JSON.stringify({ error: `${thrown.name}: ${thrown.message}`, cause: thrown.cause })}\n`);
  process.exitCode = 1;
} finally {
  clearInterval(staying);
  process.stdin.destroy();
}

async function loadPlugin(directory) {
  const entry = ["server.js", "index.js"].map((name) => join(directory, name)).find((path) => existsSync(path));
  if (entry === undefined) throw loadError(`Plugin entrypoint not found: ${directory}`);
  const fault = faultOf(await import(pathToFileURL(entry).href));
  if (fault !== undefined)
    throw loadError("Plugin must export a default definition with an id and an effect or setup function.", fault);
  return (await import(pathToFileURL(entry).href)).default;
}

function faultOf(module) {
  if (!("default" in module)) return 'Missing key ["default"]';
  if (typeof module.default !== "object" || module.default === null) return 'Expected object at ["default"]';
  const { id, effect, setup } = module.default;
  if (typeof id !== "string") return 'Missing key ["default"]["id"]';
  if (typeof effect !== "function" && typeof setup !== "function") return 'Missing key ["default"]["effect"/"setup"]';
}

function loadError(message, cause) {
  return Object.assign(new Error(message, { cause }), { name: "PluginModule.LoadError" });
}

/** One state, which each kind of context edits in its own words. */
function createHost(userProviders) {
  const edits = [];
  const reloads = [];
  const rebuild = () => {
    const draft = createDraft(userProviders);
    for (const { kind: of, edit } of edits) {
      if (edit(draft.editors[of]) !== undefined) throw new Error("A transform must be synchronous.");
    }
    return draft.state();
  };
  const domain = (of) => ({
    async transform(edit) {
      edits.push({ kind: of, edit });
      rebuild();
    },
    async reload() {
      reloads.push(of);
      rebuild();
    },
  });
  return {
    reloads,
    state: rebuild,
    contexts: {
      provider: { provider: domain("provider"), model: domain("model") },
      // Before 2.0.4, providers have hooks at most, and cannot be edited.
      older: { provider: { hook() {} }, model: {} },
    },
  };
}

function createDraft(userProviders) {
  const providers = new Map();
  let chosen;
  const seedProvider = (id) => {
    if (!providers.has(id)) {
      const provider = { id, name: id, activation: "auto", package: "" };
      providers.set(id, { provider, models: new Map() });
    }
    return providers.get(id);
  };
  const seedModel = (id, modelId) => {
    const { models } = seedProvider(id);
    if (!models.has(modelId)) models.set(modelId, usualModel(id, modelId));
    return models.get(modelId);
  };
  for (const [id, { models = {}, ...info }] of Object.entries(userProviders)) {
    Object.assign(seedProvider(id).provider, info);
    for (const [modelId, model] of Object.entries(models)) Object.assign(seedModel(id, modelId), model);
  }
  const provider = {
    list: () => [...providers.values()],
    get: (id) => providers.get(id),
    update: (id, update) => void update(seedProvider(id).provider),
    remove: (id) => void providers.delete(id),
  };
  const models = {
    update: (id, modelId, update) => void update(seedModel(id, modelId)),
    remove: (id, modelId) => void providers.get(id)?.models.delete(modelId),
  };
  const usual = {
    get: () => chosen,
    set(providerID, modelID) {
      chosen = { providerID, modelID };
    },
  };
  return {
    editors: {
      provider: { ...provider, models },
      model: { default: usual },
    },
    state: () => ({
      chosen,
      providers: Object.fromEntries(
        [...providers].map(([id, each]) => [id, { ...each.provider, models: Object.fromEntries(each.models) }]),
      ),
    }),
  };
}

function usualModel(providerID, id) {
  return {
    id,
    modelID: id,
    providerID,
    name: id,
    capabilities: { tools: true, input: ["text", "image"], output: ["text"] },
    variants: [],
    time: { released: 0 },
    cost: [],
    status: "active",
    enabled: true,
    limit: { context: 200_000, output: 32_000 },
  };
}
