import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../system/make-folder.js";
import { GatewayError } from "../../turn/error.js";

/** The file that names the newest turn of a store: a conversation can be resumed only from its end. */
const TURN_FILE = "turn";
const STORE_NAME = /^[0-9a-f-]{36}$/;

export type AgentLocation = ReturnType<ConversationStores["begin"]>;

/** One folder for each conversation. The SDK cannot go back, so a state from before the newest turn cannot be used. */
export class ConversationStores {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The location for a turn on top of a state. @throws GatewayError `session_expired` when the SDK no longer has that */
  begin(state: Uint8Array | undefined) {
    const turn = randomUUID();
    const known = state === undefined ? { store: randomUUID(), agentId: undefined } : this.#find(state);
    const folder = join(this.#folder, known.store);
    makeFolder(folder);
    writeFileSync(join(folder, TURN_FILE), turn);
    return { ...known, folder, turn };
  }

  stateAfter({ store, turn }: AgentLocation, agentId: string): Uint8Array {
    return Buffer.from(JSON.stringify({ store, turn, agentId }));
  }

  sweep(nowMs: number, maxAgeMs: number): void {
    for (const name of namesIn(this.#folder)) {
      if (!STORE_NAME.test(name)) continue;
      const folder = join(this.#folder, name);
      const usedMs = statSync(join(folder, TURN_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (nowMs - usedMs > maxAgeMs) rmSync(folder, { recursive: true, force: true });
    }
  }

  #find(state: Uint8Array): { store: string; agentId: string } {
    try {
      const { store, turn, agentId } = JSON.parse(Buffer.from(state).toString("utf8"));
      const isKnown = STORE_NAME.test(store) && typeof agentId === "string";
      if (isKnown && readFileSync(join(this.#folder, store, TURN_FILE), "utf8") === turn) return { store, agentId };
    } catch {
      // the folder is gone, or was never ours
    }
    throw new GatewayError("session_expired", "Cursor's SDK no longer has this conversation; resend all of it.");
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
