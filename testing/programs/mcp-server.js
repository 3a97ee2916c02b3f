// An MCP server with the faults that servers have, one tool for each. `node mcp-server.js [silent|broken|stubborn|hostile]`
import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [fault] = process.argv.slice(2);
if (fault === "broken") process.exit(3);
if (fault === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}

const ONE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const text = (content) => ({ content: [{ type: "text", text: content }] });
let hasGrown = false;

const tools = {
  echo: ({ text: words = "nothing" }) => text(`echo: ${words}`),
  variable: ({ name }) => text(process.env[name] ?? "unset"),
  append: ({ file }) => {
    appendFileSync(file, "once\n");
    return text("appended");
  },
  pid: () => text(String(process.pid)),
  picture: () => ({ content: [{ type: "image", data: ONE_PIXEL, mimeType: "image/png" }] }),
  document: () => ({
    content: [
      { type: "resource", resource: { uri: "file:///a.txt", text: "written down" } },
      { type: "resource", resource: { uri: "file:///a.zip", blob: "AAAA", mimeType: "application/zip" } },
      { type: "resource_link", uri: "file:///b.txt", name: "b" },
    ],
  }),
  refuse: () => ({ ...text("that is not allowed"), isError: true }),
  throw: () => {
    throw new Error("it broke");
  },
  crash: () => process.exit(1),
  hang: () => new Promise(() => {}),
  flood: ({ characters }) => {
    process.stdout.write(`${"noise\n".repeat(1_000)}`);
    process.stderr.write("n".repeat(300_000));
    return text("x".repeat(characters));
  },
  grow: async () => {
    hasGrown = true;
    await server.notification({ method: "notifications/tools/list_changed" });
    return text("grown");
  },
  grown: () => text("new here"),
};

const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: { listChanged: true } } });
// Descriptions of tools reach the terminal of a user who lists them.
const about = fault === "hostile" ? "\u001B]0;pwned\u0007\u009B2J" : "";
const inputSchema = { type: "object", properties: {} };
server.setRequestHandler("tools/list", () => {
  const names = Object.keys(tools).filter((name) => name !== "grown" || hasGrown);
  return { tools: names.map((name) => ({ name, description: `${about}The tool ${name}.`, inputSchema })) };
});
server.setRequestHandler("tools/call", ({ params }) => tools[params.name](params.arguments ?? {}));
if (fault !== "silent") await server.connect(new StdioServerTransport());
else process.stdin.resume();
