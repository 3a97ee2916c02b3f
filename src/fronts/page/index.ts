export { writeAbout } from "./about.js";
export { pageApi } from "./api.js";
export { builtPage } from "./files.js";
export type { PageRoute } from "./page-route.js";
export { servePage } from "./serve-page.js";
