export { type BridgedTool, createMcpBridge, type McpBridge, type McpOffer, type ServerReport } from "./bridge.js";
export { loadConnect } from "./mcp-server.js";
export { warnOfNamed } from "./named-servers.js";
