import type { Locator, Page } from "playwright-core";

/** More than any view has. */
const MAX_STOPS = 400;

/** Presses Tab until this has the focus, as keyboard users do. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < MAX_STOPS; presses++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to ${target}.`);
}

export function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

export interface TabStop {
  /** Identifies it in failures. */
  readonly html: string;
  readonly isSeen: boolean;
  readonly isMarked: boolean;
}

/** All tab stops of the page, in order. */
export async function tabStops(page: Page): Promise<TabStop[]> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-tab-stop]")) element.removeAttribute("data-tab-stop");
  });
  const stops: TabStop[] = [];
  while (stops.length <= MAX_STOPS) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      // After the last one, the browser itself has the focus.
      if (element === document.body) return "nothing";
      if (element.hasAttribute("data-tab-stop")) return "the first";
      element.setAttribute("data-tab-stop", "");
      const { width, height } = element.getBoundingClientRect();
      // A truncated name has its focus mark in `::after`, a field in a box marks the box, and a shape has a stroke.
      const box = element.closest(":has(> textarea:focus)");
      const shape = element instanceof SVGElement ? element.querySelector("rect, text, path") : null;
      const isMarked =
        [
          getComputedStyle(element),
          getComputedStyle(element, "::after"),
          ...(box === null ? [] : [getComputedStyle(box)]),
        ].some(
          ({ outlineStyle, outlineWidth, boxShadow }) =>
            (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none",
        ) ||
        (shape !== null &&
          (getComputedStyle(shape).stroke !== "none" || getComputedStyle(shape).textDecorationLine !== "none"));
      return {
        html: element.outerHTML.slice(0, 200),
        isSeen: width > 0 && height > 0,
        isMarked,
      };
    });
    if (stop === "the first") return stops;
    if (stop !== "nothing") stops.push(stop);
  }
  throw new Error(`The Tab key leads to more than ${MAX_STOPS} places.`);
}

/** The controls that `tabStops` did not reach. In a group with arrow keys, one of the group is enough. */
export function missedControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const groups = "[role=tablist], [role=group], [role=listbox], [role=radiogroup]";
    return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=slider]")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(":disabled"))
      .filter((element) => !element.hasAttribute("data-tab-stop"))
      .filter((element) => element.closest(groups)?.querySelector("[data-tab-stop]") == null)
      .map((element) => element.outerHTML.slice(0, 200));
  });
}
