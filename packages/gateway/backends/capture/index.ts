export { finishCapture, previewOf, safeText, UnsafeCapture } from "./finish-capture.js";
export { RawCapture, recordedNetwork } from "./raw-capture.js";
