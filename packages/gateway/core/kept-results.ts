import { z } from "zod";
import type { ClientCall } from "../backends/backend.js";
import type { Store } from "../store/index.js";
import type { SentBlock, SentResult } from "../turn/blocks.js";
import { parseJson } from "../turn/read-json.js";
import type { Conversation } from "./continuity.js";
import { callFingerprint } from "./tools/loop-guard.js";

type Call = Pick<ClientCall, "id" | "name" | "input">;
type ResultStore = Pick<Store, "get" | "put" | "remove">;

const Kept = z.object({
  isError: z.boolean(),
  content: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image"), mimeType: z.string(), data: z.base64() }),
    ]),
  ),
});

/** Keeps results of the gateway's own tools while a run waits for the client: a run that replaces it needs them again. */
export function keepResults(
  store: ResultStore,
  owner: string,
  { id, formerId = id, lineage }: Pick<Conversation, "id" | "formerId" | "lineage">,
) {
  let presentId = id;
  const keyOf = ({ name, input }: Call, conversationId = presentId) =>
    `ran ${conversationId} ${callFingerprint(name, input)}`;
  const forget = (call: Call) => store.remove(owner, keyOf(call));
  return {
    forget,
    put(call: Call, { content, isError }: SentResult): void {
      const text = JSON.stringify({ isError, content: content.map(written) });
      store.put(owner, lineage, { names: [keyOf(call)], text });
    },
    /** Moves the results of these calls, and later ones, to another id, where a resumed run looks for them. */
    moveTo(conversationId: string, calls: Iterable<Call>): void {
      if (conversationId === presentId) return;
      for (const call of calls) {
        const kept = store.get(owner, keyOf(call));
        if (kept === undefined) continue; // it is still running
        store.put(owner, lineage, { names: [keyOf(call, conversationId)], text: kept.text });
        forget(call);
      }
      presentId = conversationId;
    },
    /** Gives each result out once: a model that repeats the call later wants a current result. */
    take(call: Call): SentResult | undefined {
      const key = keyOf(call, formerId);
      const row = store.get(owner, key);
      if (row === undefined) return undefined;
      store.remove(owner, key);
      // A row from another version may not parse. Then the tool runs again.
      const kept = Kept.safeParse(parseJson(row.text)).data;
      return kept && { callId: call.id, content: kept.content.map(read), isError: kept.isError };
    },
  };
}

export type KeptResults = ReturnType<typeof keepResults>;

function written(block: SentBlock): z.infer<typeof Kept>["content"][number] {
  return block.type === "text" ? block : { ...block, data: Buffer.from(block.data).toString("base64") };
}

function read(block: z.infer<typeof Kept>["content"][number]): SentBlock {
  return block.type === "text" ? block : { ...block, data: Buffer.from(block.data, "base64") };
}
