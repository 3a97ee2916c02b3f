import { expect, it } from "vitest";
import { localUrl } from "./listen.js";

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
