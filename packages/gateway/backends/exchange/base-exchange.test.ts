import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { collect } from "../../turn/collect.js";
import { GatewayError } from "../../turn/error.js";
import { BaseExchange } from "./base-exchange.js";

const lost = new GatewayError("upstream_error", "Lost.");

/** An exchange that the test drives, and that records its calls. */
class TestExchange extends BaseExchange {
  readonly openCalls = [];
  readonly heard: string[] = [];
  upstream: () => Promise<void> = async () => {};

  constructor() {
    super({ clock: new ManualClock(), estimatedTokens: 10, quietMs: 1 });
  }

  answer(): void {}

  say(delta: string): void {
    if (this.isOver) return;
    this.replies.say("text", delta);
    this.deliver();
  }

  end(): void {
    this.finish("stop");
  }

  lose(error: GatewayError): void {
    this.fail(error);
  }

  callNow(): void {
    this.replies.call({ id: "c", upstreamId: "1", name: "tool", input: "{}" });
    this.replies.pause();
  }

  protected run(): Promise<void> {
    this.heard.push("run");
    return this.upstream();
  }

  protected leave({ code }: GatewayError): void {
    this.heard.push(`leave ${code}`);
  }

  protected override letGo(): void {
    this.heard.push("let go");
  }

  protected override onPause(): void {
    this.heard.push("pause");
  }
}

let exchange: TestExchange;
let overs: number;
beforeEach(() => {
  exchange = new TestExchange();
  overs = 0;
  exchange.onOver(() => void overs++);
});

describe("an exchange", () => {
  it("asks its upstream when it is first read, and once for all its replies", async () => {
    expect(exchange.heard).toEqual([]);
    const first = collect(exchange.events());
    exchange.callNow();
    const second = collect(exchange.events());
    exchange.end();
    expect([(await first).finish, (await second).finish]).toEqual(["tool-calls", "stop"]);
    expect(exchange.heard).toEqual(["run", "pause", "let go"]);
  });

  it("is over exactly once, and calls later callbacks at once", async () => {
    const reply = collect(exchange.events());
    exchange.say("all of it");
    exchange.end();
    exchange.end();
    exchange.lose(lost);
    exchange.close("client-left");
    expect((await reply).text).toBe("all of it");
    expect(overs).toBe(1);
    expect(exchange.heard).toEqual(["run", "let go"]);
    let later = 0;
    exchange.onOver(() => void later++);
    expect(later).toBe(1);
  });

  it("cancels its upstream when it is closed, and fails its reader at once", async () => {
    exchange.upstream = () => new Promise(() => {});
    const reply = collect(exchange.events());
    exchange.close("shutdown");
    exchange.close("client-left");
    await expect(reply).rejects.toMatchObject({ code: "shutting_down" });
    expect(exchange.heard).toEqual(["run", "leave shutting_down", "let go"]);
    expect(overs).toBe(1);
  });

  it("never asks its upstream when it is closed before it is read", async () => {
    exchange.close("client-left");
    await expect(collect(exchange.events())).rejects.toMatchObject({ code: "canceled" });
    expect(exchange.heard).not.toContain("run");
  });
});

describe("an exchange whose upstream cannot wait", () => {
  const megabyte = "x".repeat(1024 * 1024);

  it("limits the text that it holds for a reader that takes none", async () => {
    const events = exchange.events();
    for (let count = 0; count < 16; count++) exchange.say(megabyte);
    expect(overs).toBe(0);
    exchange.say("x");
    expect(exchange.heard).toContain("leave canceled");
    await expect(collect(events)).rejects.toThrow("its client did not read it");
  });

  it("waits for a slow reader, however much text there is", async () => {
    const events = exchange.events()[Symbol.asyncIterator]();
    for (let count = 0; count < 20; count++) {
      exchange.say(megabyte);
      await events.next();
    }
    expect(overs).toBe(0);
    expect(exchange.usageSoFar().usage.outputTokens).toBe(5 * 1024 * 1024);
  });
});
