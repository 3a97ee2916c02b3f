import type { Account, TextStore } from "../../gateway/index.js";
import type { ReplyStore } from "../front.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";

interface StoreDeps {
  readonly deps: Pick<RouteDeps, "gateway" | "caller">;
  readonly account: Account | undefined;
  readonly hold: MemoryHold;
  readonly connection?: TextStore;
}

/** What one request sees of the replies that are kept. */
export function storeFor({ deps, account, hold, connection }: StoreDeps): ReplyStore {
  let lasting: TextStore | undefined;
  return {
    get lasting() {
      lasting ??= holdReads(deps.gateway.textStore({ caller: deps.caller, account }), hold);
      return lasting;
    },
    connection,
  };
}

/** What a request takes from there is held like what it brought itself, however often it looks there. */
function holdReads(textStore: TextStore, hold: MemoryHold): TextStore {
  const held = new Set<string>();
  return {
    get(id) {
      const text = textStore.get(id);
      if (!held.has(id)) hold.take(text?.length ?? 0);
      held.add(id);
      return text;
    },
    put: (id, text) => textStore.put(id, text),
    delete: (id) => textStore.delete(id),
  };
}
