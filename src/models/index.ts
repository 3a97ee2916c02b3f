export { type Catalogue, createCatalogue } from "./catalogue.js";
export { shownName } from "./shown-name.js";
