import { expect, it } from "vitest";
import { listen, localUrl } from "./listen.js";

it.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["localhost", "http://localhost:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["[::]", "http://[::1]:80"],
  ["::1", "http://[::1]:80"],
  ["192.0.2.7", "http://192.0.2.7:80"],
])("a server on %s is reached from this machine at %s", (host, url) => {
  expect(localUrl(host, 80)).toBe(url);
});

it("an open port on localhost is reached at the address that it is on, and not at the other one that localhost means", async () => {
  const { url, drain } = await listen(() => {}, { host: "localhost", port: 0 });
  expect(url).toMatch(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+$/);
  await drain();
});
