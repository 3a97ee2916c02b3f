import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import {
  findOffer,
  nowhere,
  type Offer,
  type OfferedModel,
  offeredModels,
  PluginGateway,
  PROVIDER,
  PROVIDER_NAME,
} from "./plugin-gateway.js";

/** OpenCode brings this package along and hands it the settings of the provider. */
const PACKAGE = "aisdk:@ai-sdk/openai-compatible";
const USUAL_MODEL = "auto";
const FIX = "Run `curlew login`, or see `curlew doctor`, then start OpenCode again.";
const UNKNOWN_HOST =
  "Curlew's plugin does not know this version of OpenCode: its providers cannot be edited. It needs 2.0.4 or newer.";

export async function setup(context: PluginContext): Promise<Cleanup | undefined> {
  const { provider, model } = context;
  if (!isEditable(provider) || !isEditable(model)) {
    report(UNKNOWN_HOST);
    return undefined;
  }
  const gateway = new PluginGateway();
  const offer = await offerOf(gateway); // complete before the first transform runs
  await provider.transform((editor) => addProvider(editor, offer));
  await model.transform((editor) => chooseDefault(editor.default));
  await provider.reload();
  await model.reload();
  return () => gateway.close();
}

function isEditable<Editor>(domain: Partial<Domain<Editor>> | undefined): domain is Domain<Editor> {
  return typeof domain?.transform === "function" && typeof domain.reload === "function";
}

/** Keeps the user's own settings of this provider. */
function addProvider(editor: ProviderEditor, { baseURL, apiKey, models }: Offer): void {
  const declared = editor.get(PROVIDER)?.models;
  const added = models.filter(({ id }) => declared?.has(id) !== true);
  editor.update(PROVIDER, (provider: ProviderInfo) => {
    if (provider.name === provider.id) provider.name = PROVIDER_NAME;
    if (provider.package === "") provider.package = PACKAGE;
    // The credential is Curlew's, so OpenCode need not wait for one of its own.
    if (provider.activation === "auto") provider.activation = "enabled";
    provider.settings = { baseURL, apiKey, ...provider.settings };
  });
  for (const model of added) {
    editor.models.update(PROVIDER, model.id, (info) => Object.assign(info, describe(model)));
  }
}

function chooseDefault(chosen: ModelEditor["default"]): void {
  if (chosen.get() === undefined) chosen.set(PROVIDER, USUAL_MODEL);
}

function describe({ name, reads, efforts, limit }: OfferedModel): ModelInfo {
  return {
    name,
    capabilities: { tools: true, input: [...reads], output: ["text"] },
    variants: efforts.map((effort) => ({ id: effort, settings: { reasoningEffort: effort } })),
    limit: { ...limit },
  };
}

async function offerOf(gateway: PluginGateway): Promise<Offer> {
  try {
    return await findOffer(gateway);
  } catch (thrown) {
    report(`Curlew is not ready: ${reasonOf(thrown)} ${FIX}`);
    await gateway.close();
    // The model's name is the only place where OpenCode shows what is wrong.
    const name = "Curlew is not ready: run `curlew login`, then start OpenCode again";
    return { ...nowhere, models: offeredModels({ data: [{ id: USUAL_MODEL, name }] }) };
  }
}

/** OpenCode logs what its plugins write to stderr. */
function report(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** The part of OpenCode's plugin interface (@opencode/plugin 2.0) that we use. OpenCode hands it in, so nothing is imported. */
export interface PluginContext {
  /** Can be edited from 2.0.4 on. */
  readonly provider?: Partial<Domain<ProviderEditor>>;
  readonly model?: Partial<Domain<ModelEditor>>;
}

interface Domain<Editor> {
  /** OpenCode makes the edit again whenever it rebuilds its state, so it must be synchronous and idempotent. */
  transform(edit: (editor: Editor) => void): Promise<unknown>;
  reload(): Promise<void>;
}

export type Cleanup = () => Promise<void>;

/** Updating something that does not exist starts from OpenCode's own defaults. */
interface ProviderEditor {
  update(providerId: string, update: (provider: ProviderInfo) => void): void;
  get(providerId: string): { readonly models: { has(modelId: string): boolean } } | undefined;
  readonly models: {
    update(providerId: string, modelId: string, update: (model: ModelInfo) => void): void;
  };
}

interface ModelEditor {
  readonly default: DefaultModel;
}

interface DefaultModel {
  get(): unknown;
  set(providerId: string, modelId: string): void;
}

interface ProviderInfo {
  readonly id: string;
  name: string;
  activation: "auto" | "enabled" | "disabled";
  /** Empty if not chosen. */
  package: string;
  settings?: Record<string, unknown>;
}

interface ModelInfo {
  name: string;
  capabilities: { tools: boolean; input: string[]; output: string[] };
  variants: { id: string; settings: Record<string, unknown> }[];
  limit: { context: number; output: number };
}
