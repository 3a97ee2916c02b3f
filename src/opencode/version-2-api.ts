/** The part of OpenCode's plugin interface (@opencode/plugin 2.0) that we use. OpenCode hands it in, so nothing is imported. */
export interface PluginContext {
  /** 2.0.4 and newer. Some versions before have a `provider` that cannot be edited. */
  readonly provider?: Partial<Domain<ProviderEditor>>;
  readonly model?: Partial<Domain<ModelEditor>>;
  /** 2.0.0 to 2.0.3. */
  readonly catalog?: Partial<Domain<CatalogEditor>>;
}

export interface Domain<Editor> {
  /** OpenCode makes the edit again whenever it rebuilds its state, so it is synchronous and always does the same. */
  transform(edit: (editor: Editor) => void): Promise<unknown>;
  reload(): Promise<void>;
}

export type Cleanup = () => Promise<void>;

/** An update of what does not exist yet begins with OpenCode's own defaults. */
export interface ProviderEditor {
  update(providerId: string, update: (provider: ProviderInfo) => void): void;
  get(providerId: string): ProviderRecord | undefined;
  readonly models: {
    update(providerId: string, modelId: string, update: (model: ModelInfo) => void): void;
  };
}

export interface ModelEditor {
  readonly default: DefaultModel;
}

export interface CatalogEditor {
  readonly provider: Pick<ProviderEditor, "get" | "update">;
  readonly model: ProviderEditor["models"] & { readonly default: DefaultModel };
}

interface DefaultModel {
  get(): unknown;
  set(providerId: string, modelId: string): void;
}

interface ProviderRecord {
  readonly models: { has(modelId: string): boolean };
}

export interface ProviderInfo {
  readonly id: string;
  name: string;
  activation: "auto" | "enabled" | "disabled";
  /** Empty if nobody has chosen one. */
  package: string;
  settings?: Record<string, unknown>;
}

export interface ModelInfo {
  name: string;
  capabilities: { tools: boolean; input: string[]; output: string[] };
  variants: { id: string; settings: Record<string, unknown> }[];
  limit: { context: number; output: number };
}
