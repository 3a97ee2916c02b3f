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
  "Curlew's plugin does not know this version of OpenCode: it offers neither providers nor a catalog.";

export async function setup(context: PluginContext): Promise<Cleanup | undefined> {
  const register = registrationFor(context);
  if (register === undefined) {
    report(UNKNOWN_HOST);
    return undefined;
  }
  const gateway = new PluginGateway();
  await register(await offerOf(gateway)); // complete before the first transform runs
  return () => gateway.close();
}

/** The registration API of this OpenCode. No version has both. */
function registrationFor({ provider, model, catalog }: PluginContext): ((offer: Offer) => Promise<void>) | undefined {
  if (isEditable(provider) && isEditable(model)) {
    return async (offer) => {
      await provider.transform((editor) => addProvider(editor, offer));
      await model.transform((editor) => chooseDefault(editor.default));
      await provider.reload();
      await model.reload();
    };
  }
  if (!isEditable(catalog)) return undefined;
  return async (offer) => {
    await catalog.transform((editor) => {
      addProvider(asProviderEditor(editor), offer);
      chooseDefault(editor.model.default);
    });
    await catalog.reload();
  };
}

function isEditable<Editor>(domain: Partial<Domain<Editor>> | undefined): domain is Domain<Editor> {
  return typeof domain?.transform === "function" && typeof domain.reload === "function";
}

function asProviderEditor({ provider, model }: CatalogEditor): ProviderEditor {
  return {
    update: (id, update) => provider.update(id, update),
    get: (id) => provider.get(id),
    models: { update: (id, modelId, update) => model.update(id, modelId, update) },
  };
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
  /** 2.0.4 and newer. Some versions before have a `provider` that cannot be edited. */
  readonly provider?: Partial<Domain<ProviderEditor>>;
  readonly model?: Partial<Domain<ModelEditor>>;
  /** 2.0.0 to 2.0.3. */
  readonly catalog?: Partial<Domain<CatalogEditor>>;
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

interface CatalogEditor {
  readonly provider: Pick<ProviderEditor, "get" | "update">;
  readonly model: ProviderEditor["models"] & { readonly default: DefaultModel };
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
