import { keyFrom, keyVerdict } from "../auth/keys.js";
import { families, type ModelFamily } from "../server/catalogue.js";
import type { World } from "../server/world.js";
import type { Answer, Call, Route } from "./route.js";

/** The position of the agent's id in `/v1/agents/{id}/usage`. */
const AGENT_SEGMENT = 3;

/** The part of Cursor's documented REST API that local agents use. It takes the API key itself, not an exchanged token. */
export function apiRoutes({ agentUsage }: Pick<World, "agentUsage">): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/models",
      answer: withKey(() => ({ status: 200, json: { items: families.map(toItem) } })),
    },
    { method: "GET", path: "/v1/me", answer: withKey(() => ({ status: 200, json: me })) },
    {
      method: "GET",
      path: "/v1/agents/*/usage",
      answer: withKey(({ path }) => ({ status: 200, json: agentUsage.of(path.split("/")[AGENT_SEGMENT] ?? "") })),
    },
  ];
}

const me = {
  apiKeyName: "Simulated key",
  createdAt: "2026-11-01T00:00:00.000Z",
  userId: 4_242,
  userEmail: "owner@simulated.example",
  userFirstName: "Sim",
  userLastName: "Owner",
};

function withKey(answer: (call: Call) => Answer): Route["answer"] {
  return (call) => {
    const key = keyFrom(call.authorization);
    if (key === undefined) return refused("unauthorized", "An API key is required.");
    if (keyVerdict(key) === "refused") return refused("api_key_not_found", "This API key is not valid.");
    return answer(call);
  };
}

function refused(code: string, message: string): Answer {
  return { status: 401, json: { error: { code, message } } };
}

function toItem({ id, displayName, aliases, parameters, variants }: ModelFamily) {
  return {
    id,
    displayName,
    aliases,
    parameters: parameters.map((parameter) => ({
      id: parameter.id,
      displayName: parameter.name,
      values: parameter.values.map((value) => ({ value, displayName: value })),
    })),
    variants: variants.map((variant) => ({
      params: Object.entries(variant.values).map(([param, value]) => ({ id: param, value })),
      displayName: variant.displayName,
      ...(variant.isDefault && { isDefault: true }),
    })),
  };
}
