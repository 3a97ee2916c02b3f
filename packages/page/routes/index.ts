export { pageApi } from "./api.js";
export { ownPage } from "./files.js";
export { writeAbout } from "./serve-files.js";
export { addPage } from "./serve-page.js";
