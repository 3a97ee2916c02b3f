import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Runtime } from "./runtime.js";
import type { AuthHook, LoginOutcome } from "./version-1-api.js";

interface LoginDeps {
  readonly provider: string;
  /** The path of the command `curlew`. */
  readonly main: string;
  readonly findRuntime: () => Promise<Runtime>;
}

/** OpenCode needs something to store. The credential itself is stored by Curlew alone, as `curlew login` does. */
const success: LoginOutcome = { type: "success", key: "kept-by-curlew" };

/** `opencode auth login` runs `curlew login`, so that both use the same credential. */
export function loginHook({ provider, main, findRuntime }: LoginDeps): AuthHook {
  const logIn = async (args: readonly string[], input?: string) => {
    const { command, env } = await findRuntime();
    const child = spawn(command, [main, "login", "--json", ...args], { env, stdio: ["pipe", "ignore", "pipe"] });
    child.stdin.on("error", () => {}).end(input); // the command may not read its input
    const ended = once(child, "close").then(([code]): LoginOutcome => (code === 0 ? success : { type: "failed" }));
    return { stderr: child.stderr.setEncoding("utf8"), ended };
  };
  return {
    provider,
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
