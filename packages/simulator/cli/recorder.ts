import { appendFileSync } from "node:fs";
import { maskValue } from "../server/mask.js";

/** Records each run of the command, and each ACP message to it, as a line of JSON. */
export interface Recorder {
  call(call: { argv: readonly string[]; env: Env; cwd: string; stdin: string }): void;
  message(message: unknown): void;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Variables whose values show how a driver isolates the CLI. Of all others only the names are recorded. */
const ISOLATION_VARIABLE =
  /^(CURSOR_|AGENT_CLI_|HOME$|XDG_CONFIG_HOME$|NO_OPEN_BROWSER$|NO_COLOR$|HTTPS_PROXY$|NODE_EXTRA_CA_CERTS$)/;
const SECRET = /KEY$|TOKEN$/;
const secretFlags = ["--api-key", "--auth-token"];
const SECRET_HEADER = /auth|cookie|key|token/i;
const STDIN_CHARS = 256 * 1024;

export function createRecorder(path: string | undefined, pid: number): Recorder {
  const append = (line: object) => {
    if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
  };
  return {
    call({ argv, env, cwd, stdin }) {
      append({
        pid,
        argv: maskValue(argv.map((arg, index) => maskArgument(arg, argv[index - 1]))),
        cwd,
        env: maskEnv(env),
        envNames: Object.keys(env).sort(),
        stdin: maskValue(stdin.slice(0, STDIN_CHARS)),
        stdinBytes: Buffer.byteLength(stdin),
      });
    },
    message: (message) => append({ pid, message: maskPairs(maskValue(message)) }),
  };
}

function maskArgument(arg: string, before: string | undefined): string {
  if (before !== undefined && secretFlags.includes(before)) return "***";
  if (before === "-H" || before === "--header") return maskHeader(arg);
  const name = secretFlags.find((flag) => arg.startsWith(`${flag}=`));
  if (name !== undefined) return `${name}=***`;
  const flag = "--header=";
  return arg.startsWith(flag) ? `${flag}${maskHeader(arg.slice(flag.length))}` : arg;
}

function maskHeader(header: string): string {
  const [prefix = "", name = ""] = /^([\w-]+): */.exec(header) ?? [];
  return SECRET_HEADER.test(name) ? `${prefix}***` : header;
}

function maskEnv(env: Env): Record<string, string> {
  const isolating = Object.entries(env).filter(([name]) => ISOLATION_VARIABLE.test(name));
  return Object.fromEntries(isolating.map(([name, value = ""]) => [name, SECRET.test(name) ? "***" : value]));
}

/** MCP servers of ACP list headers and environment as `{ name, value }`. */
function maskPairs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskPairs);
  if (typeof value !== "object" || value === null) return value;
  const pair = Object.entries(value).map(([name, inner]) => [name, maskPairs(inner)]);
  const isPair = "name" in value && typeof (value as { value?: unknown }).value === "string";
  return { ...Object.fromEntries(pair), ...(isPair ? { value: "***" } : {}) };
}
