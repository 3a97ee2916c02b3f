import type { HttpBindings } from "@hono/node-server";
import type { RequestRecord } from "../../events/index.js";

export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: { record: RequestRecord };
}
