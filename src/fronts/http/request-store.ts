import type { Account, TextStore } from "../../gateway/index.js";
import type { ReplyStore } from "../front.js";
import { ownerOf } from "./rejoin/returning-client.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";

interface StoreDeps {
  readonly deps: Pick<RouteDeps, "gateway" | "background">;
  readonly caller: string;
  readonly account: Account | undefined;
  readonly hold: MemoryHold;
  readonly connection?: TextStore;
}

/** The kept replies that one request may see. */
export function storeFor({ deps, caller, account, hold, connection }: StoreDeps): ReplyStore {
  let lasting: TextStore | undefined;
  return {
    get lasting() {
      lasting ??= holdReads(deps.gateway.textStore({ caller, account }), hold);
      return lasting;
    },
    connection,
    background: (id) => deps.background.find(ownerOf([account?.account, caller]), id),
  };
}

/** What a request reads from the store counts as its own memory, however often it reads. */
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
