export { type BridgedTool, createMcpBridge, type McpBridge, type McpOffer, type ServerReport } from "./bridge.js";
