export { isRun, RUN } from "./calls.js";
export { NotACapture, readCapture } from "./capture-file.js";
export { type Difference, diffFields } from "./field-diff.js";
export { finishCapture, safeText, UnsafeCapture } from "./finish-capture.js";
export type { Capture } from "./format.js";
export { previewOf } from "./preview.js";
export { RawCapture } from "./raw-capture.js";
export { recordedNetwork } from "./recorded-network.js";
export { createReplay } from "./replay/replay.js";
