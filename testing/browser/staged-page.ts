import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Watch } from "./watch.js";

/** The widths that every view is drawn for: a phone, and a screen on a desk. */
export const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const;

export const viewTitles = ["Now", "Requests", "Usage", "Models", "Playground"] as const;
export type ViewTitle = (typeof viewTitles)[number];

/** Only ends what hangs: generous for a busy machine. */
const PATIENCE_MS = 60_000;

export interface PageOptions {
  readonly size?: keyof typeof sizes;
  readonly theme?: "light" | "dark";
  readonly reducedMotion?: "reduce" | "no-preference";
  /** Device pixels per pixel of the page. */
  readonly scale?: number;
}

/** A page in a new browser context, and its faults. */
export class StagedPage {
  readonly page: Page;
  readonly watch: Watch;

  private constructor(page: Page, watch: Watch) {
    this.page = page;
    this.watch = watch;
  }

  static async open(browser: Browser, address: string, options: PageOptions = {}): Promise<StagedPage> {
    const { size = "desk", theme = "light", reducedMotion = "no-preference", scale = 1 } = options;
    const settings: BrowserContextOptions = {
      viewport: sizes[size],
      colorScheme: theme,
      reducedMotion,
      deviceScaleFactor: scale,
    };
    const context = await browser.newContext(settings);
    context.setDefaultTimeout(PATIENCE_MS);
    const watch = new Watch(new URL(address).origin);
    await watch.follow(context);
    const page = await context.newPage();
    await page.goto(address);
    return new StagedPage(page, watch);
  }

  /** Goes to a view by its link, and waits until it has loaded. */
  async show(title: ViewTitle): Promise<void> {
    await this.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: title }).click();
    await this.page.getByRole("heading", { level: 1, name: title }).waitFor();
    await this.settled();
  }

  /** Resolves when no part of the view is loading. */
  async settled(): Promise<void> {
    await this.page.getByRole("heading", { level: 1 }).waitFor();
    await this.page.waitForFunction(() => document.querySelector(".loading") === null);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
