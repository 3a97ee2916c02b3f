export type { DescribedRoute, RouteDescription, Shapes } from "./described-route.js";
export { AnthropicError, completionOf, gatewayRoutes, OpenAiError, parameter, TurnUsage } from "./described-route.js";
export { writeDocument } from "./document.js";
