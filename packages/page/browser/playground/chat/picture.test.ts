import { expect, it } from "vitest";
import { pictureProblem } from "./picture.js";

const MIB = 1024 * 1024;
const file = (type: string, size: number) => ({ name: "bird.png", type, size });

it.each([
  [file("image/png", 5 * MIB), 0, undefined],
  [file("image/jpeg", 10), 20 * MIB - 10, undefined],
  [file("image/svg+xml", 10), 0, "Use PNG, JPEG, WebP or GIF"],
  [file("", 10), 0, "Use PNG, JPEG, WebP or GIF"],
  [file("image/png", 5 * MIB + 1), 0, "bird.png has 5.0 MiB. The limit is 5 MiB"],
  [file("image/gif", 10), 20 * MIB - 9, "20 MiB in total"],
])("%j after %d bytes", (given, sentBytes, problem) => {
  const found = pictureProblem(given, sentBytes);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
