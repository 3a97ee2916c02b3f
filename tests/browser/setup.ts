import { findProgram } from "../../testing/programs/find-program.js";

/** Installs the browser if needed, before the test files look for it concurrently. */
export async function setup(): Promise<void> {
  await findProgram("chromium");
}
