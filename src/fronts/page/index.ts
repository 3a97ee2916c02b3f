export { pageApi } from "./api.js";
export { ownPage } from "./files.js";
export type { PageRoute } from "./page-route.js";
export { writeAbout } from "./serve-files.js";
export { servePage } from "./serve-page.js";
