export type { LiveFeed, LiveListener } from "./live-feed.js";
export type { RequestsQuestion } from "./request-story.js";
export { readTroubles } from "./troubles.js";
export { type ClientsQuestion, createViews, type PageViews, type ViewsDeps } from "./views.js";
