import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type InteractionQuery,
  type InteractionResponse,
  InteractionResponseSchema,
} from "../../../gen/agent_v1_pb.js";

/** Nobody sits in front of a gateway: every question to the user is declined with a reason, and never left open. */
export function answerQuery({ id, query }: InteractionQuery, reason: string): InteractionResponse {
  return create(InteractionResponseSchema, { id, result: declined(query.case, reason) });
}

type QueryResult = MessageInitShape<typeof InteractionResponseSchema>["result"];

function declined(asked: InteractionQuery["query"]["case"], reason: string): QueryResult & {} {
  const rejected = { result: { case: "rejected" as const, value: { reason } } };
  switch (asked) {
    case "webSearchRequestQuery":
      return { case: "webSearchRequestResponse", value: rejected };
    case "webFetchRequestQuery":
      return { case: "webFetchRequestResponse", value: rejected };
    case "switchModeRequestQuery":
      return { case: "switchModeRequestResponse", value: rejected };
    case "exaSearchRequestQuery":
      return { case: "exaSearchRequestResponse", value: rejected };
    case "exaFetchRequestQuery":
      return { case: "exaFetchRequestResponse", value: rejected };
    case "mcpAuthRequestQuery":
      return { case: "mcpAuthRequestResponse", value: rejected };
    case "generateImageRequestQuery":
      return { case: "generateImageRequestResponse", value: rejected };
    case "connectScmRequestQuery":
      return { case: "connectScmRequestResponse", value: rejected };
    case "askQuestionInteractionQuery":
      return { case: "askQuestionInteractionResponse", value: { result: rejected } };
    case "createPlanRequestQuery":
      return {
        case: "createPlanRequestResponse",
        value: { result: { result: { case: "error", value: { error: reason } } } },
      };
    case "prManagementRequestQuery":
      return { case: "prManagementResult", value: rejected };
    case "replaceEnvArgs":
      return {
        case: "replaceEnvResult",
        value: { result: { case: "failure", value: { errorMessage: reason } } },
      };
    case "setupVmEnvironmentArgs":
      return { case: "setupVmEnvironmentResult", value: {} };
    default:
      return { case: undefined }; // an unknown question is answered by its id alone
  }
}
