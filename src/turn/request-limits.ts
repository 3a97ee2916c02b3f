/**
 * What one request, or one message of Cursor's, may hold at most. Everything within is handled in one go, in time that grows
 * with its size and no faster; what is beyond is refused before that. The guide lists them (limits-and-formats.md).
 */

/** Messages of a request, or items of an input: 8,000 rounds of tools are 24,000 items where each call comes with its reasoning. */
export const MAX_MESSAGES = 30_000;

/** Calls that one message makes, or that Cursor asks for before it waits for results. Models make a few dozen at most. */
export const MAX_CALLS_TOGETHER = 2_000;

/** All that stands between the commas and brackets of a body. The longest conversations of agents have a third of it. */
export const MAX_BODY_VALUES = 500_000;

/** How deep a body's lists and objects may stand in each other. Arguments of calls that go deeper are passed on as text. */
export const MAX_JSON_DEPTH = 500;

/** How deep a tool's schema may go, its innermost value counted: what protobuf's JSON form takes, and so Cursor's wire. */
export const MAX_TOOL_DEPTH = 99;

/**
 * The same for tools that the gateway adds to every request. A server that reads with protobuf's usual limit of 100 messages
 * in each other takes no more, and would refuse every turn because of one tool.
 */
export const MAX_ADDED_TOOL_DEPTH = 46;
