import { delimiter } from "node:path";
import { installClient } from "../clients/install.js";
import { type Desk, openDesk } from "./desk.js";

/** A desk with the client of this command installed. */
export async function openDeskWith(
  command: "opencode" | "claude",
  options: Omit<Parameters<typeof openDesk>[0] & object, "programs"> = {},
): Promise<Desk> {
  const [folder = ""] = (await installClient(command)).split(delimiter);
  return openDesk({ ...options, programs: [folder] });
}
