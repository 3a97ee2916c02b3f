export { writeAbout } from "./about.js";
export { pageApi } from "./api.js";
export { builtPage } from "./files.js";
export { servePage } from "./serve-page.js";
