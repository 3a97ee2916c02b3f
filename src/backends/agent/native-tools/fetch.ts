import type { FetchArgs } from "../../../gen/agent_v1_pb.js";
import { answerWith, type NativeRequest, type WantedInput } from "./native-request.js";

const WHOLE_PAGE = "Give the content of this page in full, without leaving anything out.";

export function fetchRequest({ url }: FetchArgs): NativeRequest {
  const wanted: WantedInput = {
    must: { url },
    ifRequired: { format: { oneOf: ["markdown", "text", "html"] }, prompt: WHOLE_PAGE },
    purpose: `Fetch ${url}`,
  };
  return {
    role: "fetch",
    // The second input is for tools that take the address from their prompt.
    inputs: url === "" ? [] : [wanted, { ...wanted, must: { prompt: `Fetch ${url}. ${WHOLE_PAGE}` } }],
    carriesWords: true,
    toResults({ text, isError, words }) {
      if (isError) return answerWith("fetchResult", { case: "error", value: { url, error: text + words } });
      const page = { url, content: text + words, statusCode: 200, contentType: "text/plain" };
      return answerWith("fetchResult", { case: "success", value: page });
    },
  };
}
