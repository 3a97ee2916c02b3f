import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type InteractionQuery,
  type InteractionResponse,
  InteractionResponseSchema,
} from "../../../gen/agent_v1_pb.js";

type Declined = NonNullable<MessageInitShape<typeof InteractionResponseSchema>["result"]>;

const reason = "Nobody is there to ask: decide by yourself.";
const rejected = { result: { case: "rejected" as const, value: { reason } } };
const noPlan = { case: "error" as const, value: { error: reason } };

const declined: { readonly [Asked in InteractionQuery["query"]["case"] & string]: Declined } = {
  webSearchRequestQuery: { case: "webSearchRequestResponse", value: rejected },
  webFetchRequestQuery: { case: "webFetchRequestResponse", value: rejected },
  switchModeRequestQuery: { case: "switchModeRequestResponse", value: rejected },
  exaSearchRequestQuery: { case: "exaSearchRequestResponse", value: rejected },
  exaFetchRequestQuery: { case: "exaFetchRequestResponse", value: rejected },
  mcpAuthRequestQuery: { case: "mcpAuthRequestResponse", value: rejected },
  generateImageRequestQuery: { case: "generateImageRequestResponse", value: rejected },
  connectScmRequestQuery: { case: "connectScmRequestResponse", value: rejected },
  prManagementRequestQuery: { case: "prManagementResult", value: rejected },
  askQuestionInteractionQuery: { case: "askQuestionInteractionResponse", value: { result: rejected } },
  createPlanRequestQuery: { case: "createPlanRequestResponse", value: { result: { result: noPlan } } },
  replaceEnvArgs: {
    case: "replaceEnvResult",
    value: { result: { case: "failure", value: { errorMessage: reason } } },
  },
  setupVmEnvironmentArgs: { case: "setupVmEnvironmentResult", value: {} },
};

/** Nobody sits in front of a gateway: every question to the user is declined with a reason, and never left open. */
export function answerQuery({ id, query }: InteractionQuery): InteractionResponse {
  // An unknown question is answered by its id alone.
  const result = query.case === undefined ? query : declined[query.case];
  return create(InteractionResponseSchema, { id, result });
}
