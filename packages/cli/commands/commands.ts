import { BESIDE, type Command, command } from "./line/definition.js";

const START = "Get started";
const LOOK = "See what is going on";
const CONTROL = "Configure";

/** In the order of the help. Each is loaded lazily. */
export const commands: readonly Command[] = [
  command("login", START, "Sign in to Cursor, in the browser or with an API key", () => import("./login.js")),
  command("setup", START, "Point an AI client at the gateway, or undo that", () => import("./setup.js")),
  command("serve", START, "Run the gateway; the same as curlew alone", () => import("./serve.js")),
  command("run", START, "Start an AI client on the gateway, changing no files", () => import("./run.js")),
  command("ask", START, "Ask a model and stream its answer", () => import("./ask.js")),
  command("service", START, "Run the gateway in the background", () => import("./service.js")),
  command("logout", START, "Forget Curlew's own credential", () => import("./logout.js")),
  command("status", LOOK, "Show credential and settings, and what Cursor saw today", () => import("./status.js")),
  command("models", LOOK, "List the models of your account", () => import("./models.js")),
  command("usage", LOOK, "Show what is left of your plan and what clients used", () => import("./usage.js")),
  command("logs", LOOK, "Show the last requests, or one and why it was expensive", () => import("./logs.js")),
  command("dashboard", LOOK, "Open the page of a running gateway", () => import("./dashboard.js")),
  command("doctor", LOOK, "Check everything a gateway needs, and say how to fix it", () => import("./doctor.js")),
  command("config", CONTROL, "Show, check or change settings", () => import("./config.js")),
  command("limits", CONTROL, "Show, set or raise what clients may use", () => import("./limits.js")),
  command("keys", CONTROL, "Give each client a key of its own", () => import("./keys.js")),
  command("mcp", CONTROL, "Check the MCP servers whose tools Curlew runs", () => import("./mcp.js")),
  command("stop", CONTROL, "Stop every run now, or those of one conversation", () => import("./stop.js")),
  command("completion", BESIDE, "Print a completion script for your shell", () => import("./completion.js")),
  command("simulate", BESIDE, "Run a simulated Cursor to develop and test against", () => import("./simulate.js")),
];
