import type { FetchArgs } from "../../../gen/agent_v1_pb.js";
import { execResult, type NativeRequest } from "./native-request.js";
import type { Wish } from "./wish.js";

const wholePage = "Give the content of this page in full, without leaving anything out.";

export function fetchRequest({ url }: FetchArgs): NativeRequest {
  const wish: Wish = {
    must: { url },
    ifRequired: { format: { oneOf: ["markdown", "text", "html"] }, prompt: wholePage },
    purpose: `Fetch ${url}`,
  };
  return {
    role: "fetch",
    // The second is for tools that find the address in their prompt.
    wishes: url === "" ? [] : [wish, { ...wish, must: { prompt: `Fetch ${url}. ${wholePage}` } }],
    toResults({ text, isError }) {
      const result = isError
        ? { case: "error" as const, value: { url, error: text } }
        : { case: "success" as const, value: { url, content: text, statusCode: 200, contentType: "text/plain" } };
      return [execResult({ case: "fetchResult", value: { result } })];
    },
  };
}
