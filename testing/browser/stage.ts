import type { Browser } from "playwright-core";
import type { LedgerEntry } from "../../packages/meter/ledger/index.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../gateway/whole-system.js";
import { runCurlew } from "../programs/curlew-process.js";
import { pageLink } from "./page-link.js";
import { type PageOptions, StagedPage } from "./staged-page.js";
import { startBrowser } from "./start-browser.js";

/** A gateway in front of a simulated Cursor, and a browser in front of the gateway. */
export class Stage {
  readonly system: WholeSystem;
  readonly browser: Browser;
  readonly #pages: StagedPage[] = [];

  private constructor(system: WholeSystem, browser: Browser) {
    this.system = system;
    this.browser = browser;
  }

  /** `prepare` may write to the gateway's home before it starts. */
  static async start(settings: TestSettings = {}, prepare?: (home: string) => Promise<void>): Promise<Stage> {
    const browser = await startBrowser();
    return new Stage(await startWholeSystem({}, settings, prepare), browser);
  }

  link(): Promise<string> {
    return pageLink(this.system.home, this.system.url);
  }

  /** Opens the page with an owner's link. */
  async open(options: PageOptions = {}): Promise<StagedPage> {
    const staged = await this.visit(await this.link(), options);
    await staged.settled();
    return staged;
  }

  /** Opens any address in a new browser context. */
  async visit(address: string, options: PageOptions = {}): Promise<StagedPage> {
    const staged = await StagedPage.open(this.browser, address, options);
    this.#pages.push(staged);
    return staged;
  }

  /** The requests of the ledger, as `curlew logs` has them: the oldest first. */
  async logged(...args: string[]): Promise<LedgerEntry[]> {
    const { stdout } = await runCurlew(["logs", "--json", ...args], { env: { CURLEW_HOME: this.system.home } });
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Takes the faults of all pages since the last call, including closed pages. */
  takeFaults(): string[] {
    return this.#pages.splice(0).flatMap(({ watch }) => watch.faults);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.system.close();
  }
}
