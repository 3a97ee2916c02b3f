export { writeAbout } from "./about.js";
export { builtPage } from "./files.js";
export type { PageRoute } from "./page-route.js";
export { servePage } from "./serve-page.js";
