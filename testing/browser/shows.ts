import type { Locator } from "playwright-core";
import { expect } from "vitest";

/** Waits until this can be seen. */
export async function shows(what: Locator): Promise<void> {
  await expect.poll(() => what.isVisible()).toBe(true);
}
