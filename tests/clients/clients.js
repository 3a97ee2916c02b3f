// How each client is started, and the names of its tools. `setup` is its name for `curlew setup`; without one, it is
// configured as its page in docs/guide/clients says. `terminal`: how it runs interactively, with the screen texts that show
// that it is ready or has queued input. `deferred`: how it gets an MCP server whose tools must be searched for.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { turns } from "./turns.js";

/** The dialect of a client, and the route that the gateway's log must show. */
const chat = { dialect: "chat", route: "POST /v1/chat/completions" };
const responses = { dialect: "responses", route: "POST /v1/responses" };
const messages = { dialect: "messages", route: "POST /v1/messages" };

/** Keeps OpenCode from looking for updates, models and plugins. */
const openCodeQuiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

/** The prompt goes through stdin: OpenCode would quote an argument and escape its quotation marks. */
function openCode(spoken, model) {
  const run = ["run", "--model", model];
  // Titles are requested in the same dialect.
  const environment = { ...openCodeQuiet, OPENCODE_CONFIG_CONTENT: JSON.stringify({ small_model: model }) };
  return {
    name: "OpenCode",
    ...spoken,
    command: "opencode",
    environment,
    shell: (command) => ["bash", { command, description: "Reads a note" }],
    first: (prompt) => ({ args: run, stdin: prompt }),
    next: (prompt) => ({ args: [...run, "--continue"], stdin: prompt }),
    terminal: { args: ["--model", model], ready: /anything/, queued: /QUEUED/ },
  };
}

function pi(spoken, provider) {
  const print = ["--provider", provider, "--model", "auto", "--print"];
  return {
    name: "pi",
    ...spoken,
    command: "pi",
    environment: { PI_OFFLINE: "1" },
    // It compacts what is older than this, and a day of the test is short.
    files: { ".pi/agent/settings.json": { compaction: { keepRecentTokens: 100 } } },
    shell: (command) => ["bash", { command }],
    first: (prompt) => ({ args: [...print, prompt] }),
    next: (prompt) => ({ args: [...print, "--continue", prompt] }),
    terminal: { args: print.filter((word) => word !== "--print"), ready: /interrupt/, queued: /Steering/ },
  };
}

/** Keeps Codex from looking for updates and from reporting its use. */
const codexQuiet = ["check_for_update_on_startup=false", "analytics.enabled=false", "feedback.enabled=false"];

function codex({ model = "auto", settings = [], ...rest }) {
  const exec = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--model", model];
  const configured = [...codexQuiet, ...settings].flatMap((setting) => ["--config", setting]);
  return {
    name: "Codex",
    command: "codex",
    ...responses,
    // Waits as long as Codex allows; it then would go on without the result.
    shell: (cmd) => ["exec_command", { cmd, yield_time_ms: 30_000 }],
    first: (prompt) => ({ args: [...exec, ...configured, prompt] }),
    next: (prompt) => ({ args: [...exec, ...configured, "resume", "--last", prompt] }),
    ...rest,
  };
}

export const clients = [
  { ...openCode(chat, "curlew/auto"), setup: "opencode", sessions: { args: ["session", "list"] } },
  openCode(responses, "curlew-responses/auto"),
  openCode(messages, "curlew-messages/auto"),
  { ...pi(chat, "curlew"), setup: "pi" },
  pi(responses, "curlew-responses"),
  pi(messages, "curlew-messages"),
  codex({ setup: "codex" }),
  codex({
    dialect: "responses (WebSocket)",
    route: "WS /v1/responses",
    settings: ["model_providers.curlew.supports_websockets=true"],
  }),
  // For most models that it knows, Codex offers one tool, which runs a program that calls the others.
  codex({
    dialect: "responses (code mode)",
    model: "gpt-5.6-sol",
    isOneAtATime: true,
    shell: (cmd) => [
      "functions__exec",
      { input: `text((await tools.exec_command(${JSON.stringify({ cmd })})).output);` },
    ],
  }),
  {
    name: "Claude Code",
    setup: "claude",
    ...messages,
    command: "claude",
    // Means that it guesses the context size, and compacts too late.
    complaint: /doesn't recognize the model/,
    shell: (command) => ["Bash", { command, description: "Reads a note" }],
    first: (prompt) => ({ args: ["--print", "--allowedTools=Bash", prompt] }),
    next: (prompt) => ({ args: ["--print", "--allowedTools=Bash", "--continue", prompt] }),
    terminal: {
      args: ["--allowedTools=Bash"],
      ready: /auto\s*mode/,
      queued: /queued/,
      // Onboarding is complete and the folder trusted.
      files: (cwd) => ({
        ".claude.json": {
          hasCompletedOnboarding: true,
          theme: "dark",
          projects: { [cwd]: { hasTrustDialogAccepted: true } },
        },
      }),
    },
    deferred: {
      args: (file) => [
        `--mcp-config=${file}`,
        "--allowedTools=ToolSearch,mcp__birds",
        // As with definitions that take more than a tenth of the context window.
        `--settings=${JSON.stringify({ env: { ENABLE_TOOL_SEARCH: "true" } })}`,
      ],
      name: (tool) => `mcp__birds__${tool}`,
      search: (name) => ["ToolSearch", { query: `select:${name}`, max_results: 1 }],
      // To a model whose name it knows, it says "Tool loaded." beside the result of the search.
      model: "claude-opus-4-8-high",
    },
  },
  {
    name: "Qwen Code",
    setup: "qwen",
    ...chat,
    command: "qwen",
    // Qwen Code sometimes loses the output of a command that ends at once.
    shell: (command) => ["run_shell_command", { command: `${command}; sleep 0.3`, is_background: false }],
    first: (prompt) => ({ args: ["--yolo", prompt] }),
    next: (prompt) => ({ args: ["--yolo", "--continue", prompt] }),
  },
  {
    name: "Continue",
    setup: "continue",
    ...chat,
    command: "cn",
    environment: { CONTINUE_TELEMETRY_ENABLED: "0" },
    shell: (command) => ["Bash", { command }],
    first: (prompt) => ({ args: ["--auto", "--print", prompt] }),
    next: (prompt) => ({ args: ["--auto", "--resume", "--print", prompt] }),
  },
  {
    name: "Cline",
    setup: "cline",
    ...chat,
    command: "cline",
    // Not the port of a developer's own Cline.
    environment: { CLINE_NO_AUTO_UPDATE: "1", CLINE_SESSION_BACKEND_MODE: "local", CLINE_HUB_PORT: "25964" },
    // Without internet access it fails because it cannot report its use; no variable prevents that.
    files: { ".cline/data/settings/global-settings.json": { telemetryOptOut: true, autoUpdateEnabled: false } },
    shell: (command) => ["run_commands", { commands: [command] }],
    first: (prompt) => ({ args: [prompt] }),
    // It continues an earlier conversation only on a terminal.
    next: (prompt, { home, says }) => ({
      args: ["--id", readdirSync(join(home, ".cline", "data", "sessions"))[0]],
      async play(terminal) {
        // Keys typed before the earlier conversation is shown are lost.
        await terminal.until(lastWordOf(turns[0].says));
        await terminal.say(prompt);
        await terminal.until(lastWordOf(says));
        await terminal.leave("\x03\x03");
      },
    }),
    /** The terminal mode leaves a hub process running. */
    last: { args: ["hub", "stop"] },
  },
];

/**
 * Matches the last word in an answer, not in a directive. A terminal may draw spaces as cursor moves, so only single words
 * match.
 */
function lastWordOf(text) {
  return new RegExp(`${text.split(" ").at(-1).replace(".", "\\.")}(?!\\])`);
}
