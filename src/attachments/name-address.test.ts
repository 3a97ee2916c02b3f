import { expect, it } from "vitest";
import { nameAddress } from "./name-address.js";

it.each([
  ["https://example.com/birds/curlew.png?token=s3cret", "curlew.png at example.com"],
  ["https://example.com:8443/file/bot123:AAH-secret/photo", "at example.com:8443"],
  ["https://me:hunter2@example.com/a.PDF#s3cret", "a.PDF at example.com"],
  ["https://example.com/", "at example.com"],
  ["nonsense", "without a valid address"],
])("tells no secret of %s", (url, name) => {
  expect(nameAddress(url)).toBe(name);
});
