import { findProgram } from "../../testing/programs/find-program.js";

/** Installs the browser, if need be, before the files of the suite look for it at the same time. */
export async function setup(): Promise<void> {
  await findProgram("chromium");
}
