import { execKinds } from "../../packages/simulator/model/exec-kinds.js";

/** All requests of Cursor's server to its clients in a run, except for the context, which every client sends. */
export const nativeTools = execKinds.map(({ name }) => name).filter((name) => name !== "request_context");

/** The same in the old chat calls: the numbers of `ClientSideToolV2`. */
export const chatTools = [
  ...[1, 3, 5, 6, 7, 8, 9, 11, 12, 15, 16, 18, 19, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 38, 39, 40],
  ...[41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 65, 66],
];
