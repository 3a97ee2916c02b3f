import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Model } from "../backends/backend.js";
import { makeFolder } from "../system/make-folder.js";
import { replaceFile } from "../system/replace-file.js";
import type { LearnedShapes } from "./name-shapes.js";

/** How many lists are kept, one for each account and server. The oldest is evicted first. */
const MAX_LISTS = 8;

export interface HeldModels {
  readonly models: readonly Model[];
  readonly atMs: number;
  readonly shapes?: LearnedShapes;
  /** Whether a model gets its tools by name alone, by the id under which Cursor has answered. */
  readonly dynamicTools?: Readonly<Record<string, boolean>>;
}

/** Keeps a list across restarts. */
export type ModelCache = ReturnType<typeof modelFile>;

interface ModelFileDeps {
  readonly path: string;
  readonly account: string;
  readonly backendUrl: string;
  /** Called when a list cannot be saved, which is not fatal. */
  readonly onProblem: (problem: unknown) => void;
}

/** One file for all accounts and servers, readable only by its owner. */
export function modelFile({ path, account, backendUrl, onProblem }: ModelFileDeps) {
  const key = createHash("sha256").update(`${account}\n${backendUrl}`).digest("hex").slice(0, 32);
  return {
    load: (): HeldModels | undefined => readLists(path)[key],
    save(held: HeldModels): void {
      try {
        const lists = Object.entries({ ...readLists(path), [key]: held });
        const kept = lists.sort(([, a], [, b]) => b.atMs - a.atMs).slice(0, MAX_LISTS);
        makeFolder(dirname(path));
        replaceFile(path, JSON.stringify({ version: 1, lists: Object.fromEntries(kept) }));
      } catch (problem) {
        onProblem(problem);
      }
    },
  };
}

export function keptModels(path: string): readonly Model[] {
  return Object.values(readLists(path)).flatMap(({ models }) => models);
}

/** The lists in the file; empty when it is missing or unreadable, because Cursor can be asked again. */
function readLists(path: string): Readonly<Record<string, HeldModels>> {
  try {
    return modelLists().parse(JSON.parse(readFileSync(path, "utf8"))).lists;
  } catch {
    return {};
  }
}

function modelLists() {
  const value = z.object({ id: z.string(), value: z.string() });
  const variant = z.object({
    name: z.string(),
    parameters: z.array(value),
    isMax: z.boolean(),
    isDefault: z.boolean(),
    slug: z.string().exactOptional(),
  });
  const model = z.object({
    id: z.string(),
    name: z.string(),
    aliases: z.array(z.string()),
    contextTokens: z.number().exactOptional(),
    maxContextTokens: z.number().exactOptional(),
    canThink: z.boolean(),
    canSeeImages: z.boolean().exactOptional(),
    canMax: z.boolean().exactOptional(),
    base: z.string().exactOptional(),
    parameters: z.array(z.object({ id: z.string(), values: z.array(z.string()) })).exactOptional(),
    variants: z.array(variant).exactOptional(),
  });
  const shapes = z.record(z.string(), z.string()).exactOptional();
  const dynamicTools = z.record(z.string(), z.boolean()).exactOptional();
  const list = z.object({ models: z.array(model).min(1), atMs: z.number(), shapes, dynamicTools });
  return z.object({ version: z.literal(1), lists: z.record(z.string(), list) });
}
