import { expect, it } from "vitest";
import { parseTraceParent } from "./trace-parent.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

it.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-03`, true],
  [`01-${traceId}-${spanId}-01-what-the-future-brings`, true],
])("%j is a parent", (header, isSampled) => {
  expect(parseTraceParent(header)).toEqual({ traceId, spanId, isSampled });
});

it.each([
  undefined,
  "",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId}-${spanId}-01 `,
  `00-${traceId}-${spanId}-0x`,
])("%j is none", (header) => {
  expect(parseTraceParent(header)).toBeUndefined();
});
