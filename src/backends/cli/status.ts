import { z } from "zod";
import { parseJson } from "../../turn/read-json.js";
import type { OwnLogin } from "../backend.js";
import { stripAnsi } from "./strip-ansi.js";

const Told = z.object({ isAuthenticated: z.boolean() });

/** From JSON or from text. The exit code is 0 either way, and "Not logged in" holds "logged in". */
export function readStatus(output: string): OwnLogin {
  const text = stripAnsi(output);
  const json = Told.safeParse(parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
  if (json.success) return json.data.isAuthenticated ? "logged-in" : "logged-out";
  if (/not logged in|not authenticated|authentication required|logged out/i.test(text)) return "logged-out";
  return /logged in/i.test(text) ? "logged-in" : "unknown";
}
