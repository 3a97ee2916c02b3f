import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

type Closing = { close?: () => unknown };

/** Starts something once for all tests of a file or group, and closes it after them. Usable only in tests and later hooks. */
export function startedOnce<Started extends object & Closing>(start: () => Started | Promise<Started>): Started {
  return started(start, beforeAll, afterAll);
}

/** Starts something for each test, and closes it after the test. */
export function startedEach<Started extends object & Closing>(start: () => Started | Promise<Started>): Started {
  return started(start, beforeEach, afterEach);
}

function started<Started extends object & Closing>(
  start: () => Started | Promise<Started>,
  before: (hook: () => Promise<void>) => void,
  after: (hook: () => Promise<void>) => void,
): Started {
  let current: Started | undefined;
  before(async () => {
    current = await start();
  });
  after(async () => {
    await current?.close?.();
    current = undefined;
  });
  return new Proxy({} as Started, {
    get(_, name) {
      if (current === undefined) throw new Error("It is not started yet.");
      const value: unknown = Reflect.get(current, name);
      return typeof value === "function" ? value.bind(current) : value;
    },
  });
}
