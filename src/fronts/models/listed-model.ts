import type { Gateway } from "../../gateway/index.js";

export type ListedModel = Awaited<ReturnType<Gateway["models"]>>[number];

/** Cursor does not report when a model appeared; a fixed time keeps lists comparable. */
export const CREATED_SECONDS = 1_700_000_000;
