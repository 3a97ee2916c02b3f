/** The limits of one request, or of one message from Cursor; beyond them it is refused. The guide lists them. */

/** Messages of a request, or items of an input. 8,000 rounds of tools are 24,000 items when each call comes with its reasoning. */
export const MAX_MESSAGES = 30_000;

/** Calls of one message, or calls that Cursor makes before it waits for results. Models make a few dozen at most. */
export const MAX_CALLS_TOGETHER = 400;

/** MCP servers that a request names. The gateway itself may have as many. */
export const MAX_MCP_SERVERS = 50;

/** JSON values in a body. The longest conversations of agents have a third of this. */
export const MAX_BODY_VALUES = 500_000;

/** The nesting of lists and objects in a body. Arguments of calls that are nested deeper are passed on as text. */
export const MAX_JSON_DEPTH = 500;

/** The nesting of a tool's schema, its innermost value included. It is the limit of protobuf's JSON form, and so of Cursor's protocol. */
export const MAX_TOOL_DEPTH = 99;

/** The same for tools that the gateway adds: a server with protobuf's usual limit would refuse every turn for one of them. */
export const MAX_ADDED_TOOL_DEPTH = 46;
