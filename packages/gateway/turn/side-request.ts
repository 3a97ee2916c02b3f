export const sideRequests = ["title", "suggestion", "compaction", "check"] as const;

/** A request that a client sends by itself, so not a message of the user. `check`: a model judges a tool call. */
export type SideRequest = (typeof sideRequests)[number];
