// Runs on Bun. Stands in for the agent that uses the library: each line of stdin is a turn of a named conversation, each line
// of stdout its reply. Without an address and a token it uses its own address, and signs in first.
import { createInterface } from "node:readline";

const { resolveSync } = globalThis.Bun;
const [folder, baseUrl, token] = process.argv.slice(2);
const { stream } = await import(resolveSync("@oh-my-pi/pi-ai", folder));
const { fetchCursorUsableModels } = await import(resolveSync("@oh-my-pi/pi-catalog/discovery/cursor", folder));
const { loginCursor } = await import(resolveSync("@oh-my-pi/pi-ai/registry/oauth/cursor", folder));

const apiKey = token ?? (await loginCursor((link) => console.log(link))).access;
const models = await fetchCursorUsableModels({ apiKey, baseUrl });
const model = models.find(({ id }) => id === "default");
const parameters = { type: "object", properties: { where: { type: "string" } }, required: ["where"] };
const tools = [{ name: "look", description: "Looks in a direction.", parameters }];
const conversations = new Map();
console.log("ready");

for await (const line of createInterface(process.stdin)) {
  const { conversation, prompt, found } = JSON.parse(line);
  const messages = conversations.get(conversation) ?? [];
  conversations.set(conversation, messages);
  messages.push({ role: "user", content: prompt, timestamp: Date.now() });
  const calls = [];
  const results = [];
  const mcp = async ({ toolName, toolCallId, args }) => {
    calls.push({ name: toolName, args });
    const content = [{ type: "text", text: `${found} in the ${args.where}` }];
    return { role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: Date.now() };
  };
  const onToolResult = (result) => {
    results.push(result);
  };
  const options = { apiKey, sessionId: conversation, execHandlers: { mcp }, onToolResult };
  const reply = await stream(model, { systemPrompt: ["Be brief."], messages, tools }, options).result();
  messages.push(reply, ...results);
  const text = reply.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  console.log(JSON.stringify({ text, calls, error: reply.errorMessage }));
}
