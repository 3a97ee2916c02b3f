import { expect, it } from "vitest";
import { systemClock } from "../clock.js";
import { ContentLoader } from "./content-loader.js";
import { defaultLimits } from "./limits.js";

const reach = { allows: () => false, lookup: () => Promise.resolve([]) };
const loader = new ContentLoader({ reach, clock: systemClock, limits: defaultLimits });

it.each([
  ["https://example.com/birds/curlew.png?token=s3cret", "curlew.png at example.com"],
  ["https://example.com:8443/file/bot123:AAH-secret/photo", "at example.com:8443"],
  ["https://me:hunter2@example.com/a.PDF#s3cret", "a.PDF at example.com"],
  ["https://example.com/", "at example.com"],
  ["nonsense", "without a valid address"],
])("shows no secret of %s", async (url, name) => {
  const failure = await loader.image(url, new AbortController().signal).catch((thrown: Error) => thrown.message);
  expect(failure).toMatch(
    new RegExp(`^The image ${name} could not be fetched: [^/]+\\. Send the image itself, as base64\\.$`),
  );
});
