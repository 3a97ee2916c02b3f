import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { createPageLinks, linkTo } from "./links.js";

const MINUTE_MS = 60_000;

function setUp() {
  const clock = new ManualClock();
  let generation = "first";
  const links = createPageLinks({ clock, generation: () => generation });
  const forget = () => {
    generation = "second";
  };
  return { clock, links, forget };
}

describe("a link", () => {
  it("opens the page once", () => {
    const { links } = setUp();
    const secret = links.make();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([links.use(secret), links.use(secret)]).toEqual([true, false]);
  });

  it("is valid for ten minutes", () => {
    const { links, clock } = setUp();
    const [first, second] = [links.make(), links.make()];
    clock.advance(10 * MINUTE_MS - 1);
    expect(links.use(first)).toBe(true);
    clock.advance(1);
    expect(links.use(second)).toBe(false);
  });

  it("lasts no longer when the clock is set back", () => {
    const { links, clock } = setUp();
    const secret = links.make();
    clock.setBack(5 * MINUTE_MS);
    expect(links.use(secret)).toBe(false);
  });

  it("is void when all pages are closed", () => {
    const { links, forget } = setUp();
    const secret = links.make();
    forget();
    expect(links.use(secret)).toBe(false);
    expect(links.use(links.make())).toBe(true);
  });

  it.each(["", "x", "x".repeat(100_000)])("cannot be made up (%.5s)", (made) => {
    const { links } = setUp();
    const secret = links.make();
    for (const near of [made, secret.slice(1), `${secret}=`, secret.toUpperCase()]) expect(links.use(near)).toBe(false);
    expect(links.use(secret)).toBe(true);
  });

  it("is evicted when many newer ones exist", () => {
    const { links } = setUp();
    const all = Array.from({ length: 100 }, () => links.make());
    expect(all.map((secret) => links.use(secret)).filter((isGood) => isGood)).toHaveLength(32);
    expect(links.use(all[0] ?? "")).toBe(false);
  });

  it("has its secret in the fragment, which browsers do not send", () => {
    const link = new URL(linkTo("http://[::1]:32124", "secret"));
    expect([link.origin, link.pathname, link.search, link.hash]).toEqual([
      "http://[::1]:32124",
      "/",
      "",
      "#open=secret",
    ]);
  });
});
