export type { DescribedRoute, RouteDescription, Shapes } from "./described-route.js";
export { AnthropicError, ChatUsage, gatewayRoutes, OpenAiError, parameter, TurnUsage } from "./described-route.js";
export { writeDocument } from "./document.js";
