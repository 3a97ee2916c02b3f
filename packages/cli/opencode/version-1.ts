import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import {
  besidePlugin,
  findOffer,
  findRuntime,
  nowhere,
  type OfferedModel,
  PluginGateway,
  PROVIDER,
  PROVIDER_NAME,
} from "./plugin-gateway.js";

const FIX = "Run `opencode auth login -p cursor`, or see `curlew doctor`, then start OpenCode again.";
/** The variants that OpenCode 1 gives every model that thinks, whether it has them or not. */
const usualVariants = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export async function server(): Promise<Hooks> {
  const gateway = new PluginGateway();
  return {
    async config(config) {
      config.provider ??= {};
      const own = config.provider[PROVIDER] ?? {};
      const offered = await offer(gateway);
      config.provider[PROVIDER] = {
        ...offered,
        ...own,
        options: { ...offered.options, ...own.options },
        models: { ...offered.models, ...own.models },
      };
    },
    auth: loginHook(),
    dispose: () => gateway.close(),
  };
}

async function offer(gateway: PluginGateway): Promise<ProviderConfig> {
  const provider = { npm: "@ai-sdk/openai-compatible", name: PROVIDER_NAME };
  try {
    const { models, ...options } = await findOffer(gateway);
    return { ...provider, options, models: Object.fromEntries(models.map((model) => [model.id, describe(model)])) };
  } catch (thrown) {
    // OpenCode does not show a plugin's failure, but it shows a model's answer.
    const message = `${reasonOf(thrown)}\n${FIX}`;
    const fetch = async () => Response.json({ error: { message } }, { status: 401 });
    return { ...provider, options: { ...nowhere, fetch }, models: { auto: { name: "Auto (Curlew is not ready)" } } };
  }
}

export function describe({ name, reads, limit, reasoning, attachment, efforts }: OfferedModel) {
  const missing = usualVariants.filter((variant) => !efforts.includes(variant));
  return {
    name,
    tool_call: true,
    reasoning,
    attachment,
    modalities: { input: reads, output: ["text"] },
    limit,
    variants: {
      ...Object.fromEntries(missing.map((variant) => [variant, { disabled: true as const }])),
      ...Object.fromEntries(efforts.map((effort) => [effort, { reasoningEffort: effort }])),
    },
  };
}

/** OpenCode needs something to store. Only Curlew stores the credential itself, as `curlew login` does. */
const success: LoginOutcome = { type: "success", key: "kept-by-curlew" };

/** `opencode auth login` runs `curlew login`, so that both use the same credential. */
function loginHook(): AuthHook {
  const main = besidePlugin("../main.js");
  const logIn = async (args: readonly string[], input?: string) => {
    const { command, env } = await findRuntime();
    const child = spawn(command, [main, "login", "--json", ...args], { env, stdio: ["pipe", "ignore", "pipe"] });
    child.stdin.on("error", () => {}).end(input); // the command may not read its input
    const ended = once(child, "close").then(([code]): LoginOutcome => (code === 0 ? success : { type: "failed" }));
    return { stderr: child.stderr.setEncoding("utf8"), ended };
  };
  return {
    provider: PROVIDER,
    methods: [
      {
        type: "oauth",
        label: "Browser",
        async authorize() {
          const { stderr, ended } = await logIn(["--no-browser"]);
          const url = await firstAddress(stderr);
          stderr.resume();
          return { method: "auto", url, instructions: "Sign in to Cursor in your browser.", callback: () => ended };
        },
      },
      {
        type: "oauth",
        label: "API key",
        async authorize() {
          return {
            method: "code",
            url: "https://cursor.com/dashboard",
            instructions: "Make an API key in Cursor's dashboard, then paste it here (crsr_...).",
            async callback(apiKey) {
              const { stderr, ended } = await logIn(["--api-key"], `${apiKey.trim()}\n`);
              stderr.resume();
              return ended;
            },
          };
        },
      },
    ],
  };
}

const ADDRESS = /https?:\/\/./;

async function firstAddress(stderr: Readable): Promise<string> {
  let output = "";
  for await (const text of stderr.iterator({ destroyOnReturn: false })) {
    output += text;
    // The last word may not be complete.
    const word = output
      .split(/\s/)
      .slice(0, -1)
      .find((each) => ADDRESS.test(each));
    if (word !== undefined) return word.slice(word.search(ADDRESS));
  }
  throw new Error(output.trim());
}

/** The part of OpenCode's plugin interface (@opencode-ai/plugin 1.18) that we use. */
export interface Hooks {
  /** May change OpenCode's settings before anything reads them. */
  config(config: { provider?: Record<string, ProviderConfig> }): Promise<void>;
  readonly auth: AuthHook;
  dispose(): Promise<void>;
}

interface ProviderConfig {
  npm?: string;
  name?: string;
  options?: Record<string, unknown>;
  models?: Record<string, unknown>;
}

interface AuthHook {
  readonly provider: string;
  readonly methods: readonly { readonly type: "oauth"; readonly label: string; authorize(): Promise<Authorization> }[];
}

type Authorization = { readonly url: string; readonly instructions: string } & (
  | { readonly method: "auto"; callback(): Promise<LoginOutcome> }
  | { readonly method: "code"; callback(code: string): Promise<LoginOutcome> }
);

type LoginOutcome = { readonly type: "success"; readonly key: string } | { readonly type: "failed" };
