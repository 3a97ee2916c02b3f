/** How the CLI names our MCP server: in front of each of its tools, and where their use is permitted. */
export const SERVER_NAME = "gw";
