import { join } from "node:path";
import type { Settings } from "../../config/settings.js";

/** What went through Curlew is written down beside the conversations. */
export function usageFolder({ stateFolder }: Pick<Settings, "stateFolder">): string {
  return join(stateFolder ?? "state", "usage");
}
