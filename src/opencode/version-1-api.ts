/** The part of OpenCode's plugin interface (@opencode-ai/plugin 1.18) that we use. */
export interface Hooks {
  /** May change OpenCode's settings before anything reads them. */
  config(config: OpenCodeConfig): Promise<void>;
  readonly auth: AuthHook;
  dispose(): Promise<void>;
}

interface OpenCodeConfig {
  provider?: Record<string, ProviderConfig>;
}

export interface ProviderConfig {
  npm?: string;
  name?: string;
  options?: Record<string, unknown>;
  models?: Record<string, unknown>;
}

export interface ModelConfig {
  readonly name: string;
  readonly tool_call: boolean;
  readonly reasoning: boolean;
  readonly attachment: boolean;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] };
  readonly limit: { readonly context: number; readonly output: number };
  readonly variants: Readonly<Record<string, { readonly reasoningEffort: string } | { readonly disabled: true }>>;
}

export interface AuthHook {
  readonly provider: string;
  readonly methods: readonly LoginMethod[];
}

interface LoginMethod {
  readonly type: "oauth";
  readonly label: string;
  authorize(): Promise<Authorization>;
}

type Authorization = { readonly url: string; readonly instructions: string } & (
  | { readonly method: "auto"; callback(): Promise<LoginOutcome> }
  | { readonly method: "code"; callback(code: string): Promise<LoginOutcome> }
);

export type LoginOutcome = { readonly type: "success"; readonly key: string } | { readonly type: "failed" };
