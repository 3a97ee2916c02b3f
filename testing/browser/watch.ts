import type { BrowserContext, ConsoleMessage, Page, Request } from "playwright-core";

/** A request that the page itself aborted, such as the one for a view that was left. */
const GIVEN_UP = "net::ERR_ABORTED";

/**
 * Collects what must not happen in a page: errors and warnings of the console, errors of its code, violations of its policy, failed
 * requests, dialogs, windows and downloads, and requests to any other address.
 */
export class Watch {
  readonly #origin: string;
  readonly #faults: string[] = [];
  readonly #allowed: RegExp[] = [];
  /** All requests, as `GET /path`. */
  readonly requests: string[] = [];
  /** Requests in flight, except the live feed. */
  readonly unanswered = new Set<Request>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The faults so far. */
  get faults(): readonly string[] {
    return this.#faults.filter((fault) => !this.#allowed.some((pattern) => pattern.test(fault)));
  }

  /** Expects faults of this kind, in the past too: a browser reports each refused answer as an error. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  /** Watches all pages of a context. Call it before the first is opened. */
  async follow(context: BrowserContext): Promise<void> {
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
        // biome-ignore lint/suspicious/noConsole: reported to us through the console, like any other error of the page
        console.error(`policy: ${violatedDirective} ${blockedURI}`);
      });
    });
    context.on("request", (request) => this.#look(request));
    context.on("requestfinished", (request) => this.unanswered.delete(request));
    context.on("requestfailed", (request) => {
      this.unanswered.delete(request);
      const reason = request.failure()?.errorText ?? "";
      if (reason !== GIVEN_UP) this.#note("failed request", `${request.method()} ${request.url()} ${reason}`);
    });
    context.on("console", (message) => this.#read(message));
    context.on("weberror", (error) => this.#note("error", error.error().stack ?? String(error.error())));
    context.on("dialog", (dialog) => {
      this.#note("dialog", dialog.message());
      void dialog.dismiss();
    });
    context.on("page", (page) => this.#followPage(page));
  }

  #followPage(page: Page): void {
    page.on("download", (download) => this.#note("download", download.url()));
    page.on("popup", (popup) => this.#note("window", popup.url()));
    page.on("crash", () => this.#note("crash", page.url()));
  }

  #look(request: Request): void {
    const { protocol, origin, pathname, search } = new URL(request.url());
    if (protocol === "data:" || protocol === "blob:") return;
    if (origin !== this.#origin) this.#note("request elsewhere", request.url());
    this.requests.push(`${request.method()} ${pathname}${search}`);
    if (!pathname.endsWith("/live")) this.unanswered.add(request);
  }

  #read(message: ConsoleMessage): void {
    if (message.type() !== "error" && message.type() !== "warning") return;
    this.#note(`console ${message.type()}`, `${message.text()} (${message.location().url})`);
  }

  #note(kind: string, what: string): void {
    this.#faults.push(`${kind}: ${what}`);
  }
}
