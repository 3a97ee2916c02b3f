import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonAnswer } from "../../packages/gateway/fronts/http/answer.js";
import { paramOf, type Route } from "../../packages/gateway/fronts/http/router.js";
import { openKeys } from "../../packages/meter/keys/index.js";
import { openPageDoor, type PageDoor } from "../../packages/page/access/index.js";
import { type ScriptedServer, startScriptedServer } from "../gateway/scripted-server.js";
import { ManualClock } from "../manual-clock.js";
import { openPage, type PageClient } from "./page-client.js";

/** An origin that may use the gateway, but not its page. */
export const ALLOWED_ORIGIN = "https://app.example";

interface Options {
  /** The gateway's own key. */
  readonly key?: string | undefined;
  readonly allowedHosts?: readonly string[];
}

interface RawOptions {
  readonly body?: string;
  /** An address of this machine. */
  readonly from?: string;
}

/** The page of a gateway in a home of its own, with a manual clock and a few routes behind the door. */
export class PageServer {
  readonly home = mkdtempSync(join(tmpdir(), "curlew-door-"));
  readonly clock = new ManualClock();
  readonly secretFile = join(this.home, "page.secret");
  /** The requests that reached the routes behind the door. */
  readonly heard: string[] = [];
  door = this.newDoor();
  server!: ScriptedServer;

  static async start(): Promise<PageServer> {
    const started = new PageServer();
    started.server = await started.startAnother();
    return started;
  }

  get url(): string {
    return this.server.url;
  }

  newDoor(key?: string): PageDoor {
    return openPageDoor({
      path: this.secretFile,
      key,
      clock: this.clock,
      onProblem: (problem) => {
        throw problem;
      },
    });
  }

  /** Starts another gateway in the same home; new links are for its door. */
  startAnother({ key, allowedHosts = [] }: Options = {}): Promise<ScriptedServer> {
    const { clock, heard, home } = this;
    this.door = this.newDoor(key);
    const path = join(home, "keys.json");
    const keyHost = { host: "127.0.0.1", allowedHosts };
    const keys = openKeys({ path, key, ...keyHost, elapsed: clock.elapsed, onProblem: () => {} });
    return startScriptedServer({
      clock,
      keys,
      config: { corsOrigins: [ALLOWED_ORIGIN], allowedHosts },
      page: { door: this.door, newLink: () => "", isSimulated: true, api: () => routes(heard) },
    });
  }

  async restart(options?: Options): Promise<void> {
    await this.server.close();
    this.server = await this.startAnother(options);
  }

  /** Opens the page with a new link. */
  getIn(): Promise<PageClient> {
    return openPage(this.url, { link: this.door.links.make() });
  }

  /** A request with headers that `fetch` does not allow. */
  askRaw(
    method: string,
    path: string,
    headers: Record<string, string>,
    { body = "", from = "127.0.0.1" }: RawOptions = {},
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const asking = request(this.url + path, { method, headers, localAddress: from }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      });
      asking.once("error", reject).end(body);
    });
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The status, code and message of an error. */
export async function problemOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error }: { error: { code: string; message: string } } = JSON.parse(await response.text());
  return { status: response.status, code: error.code, message: error.message };
}

/** Routes behind the door, which note their requests in `heard`. */
function routes(heard: string[]): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/admin/api/now",
      serve: () => {
        heard.push("now");
        return jsonAnswer({ nowMs: 1 });
      },
    },
    {
      method: "GET",
      path: "/admin/api/requests/:id",
      serve: (request) => {
        heard.push("request");
        return jsonAnswer({ id: paramOf(request, "id") });
      },
    },
    {
      method: "GET",
      path: "/admin/api/live",
      serve: ({ outgoing }) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(": alive\n\n");
        return undefined;
      },
    },
    {
      method: "POST",
      path: "/admin/api/stop-all",
      serve: () => {
        heard.push("stop-all");
        return jsonAnswer({ replies: 0, waiting: 0 });
      },
    },
  ];
}
