import { expect, it } from "vitest";
import { keyVerdict, mintedKey } from "./keys.js";

it.each(["bad", "500", "429"])("a minted key is good, even if its secret begins with %s", (start) => {
  expect(keyVerdict(`crsr_${start}`)).not.toBe("good");
  expect(keyVerdict(mintedKey(start.padEnd(64, "0")))).toBe("good");
});
