import { describe, expect, it } from "vitest";
import { claude } from "../../setup/clients/claude.js";
import { opencode } from "../../setup/clients/opencode.js";
import { zed } from "../../setup/clients/zed.js";
import { howToUse, nextStep } from "./client-location.js";

describe("the next step", () => {
  const ready = { isSignedIn: true, clients: [claude, opencode], isRunning: true };
  it.each([
    [{ ...ready, isSignedIn: false }, "Next, sign in to Cursor: curlew login"],
    [{ ...ready, clients: [], isRunning: false }, "Next, point a client at Curlew: curlew setup"],
    [{ ...ready, clients: [] }, "Next, point a client at Curlew: curlew setup"],
    [{ ...ready, isRunning: false }, "Next, start the gateway: curlew"],
    [ready, "Everything is ready. Open another terminal and run: claude, or opencode"],
  ])("for %o is %s", (situation, text) => {
    expect(nextStep(situation)).toBe(text);
  });

  it("names a client without a command, and suggests a question without clients", () => {
    expect(howToUse([{ title: zed.title }])).toBe("Start Zed.");
    expect(howToUse([])).toBe('Ask something: curlew ask "What is a curlew?"');
  });
});
