export type { LiveFeed, LiveListener } from "./live-feed.js";
export type { RequestsQuestion } from "./request-list.js";
export { createViews, type PageViews, type ViewsDeps } from "./views.js";
