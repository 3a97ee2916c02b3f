export { type Catalogue, createCatalogue } from "./catalogue.js";
export { modelFile } from "./model-file.js";
export { shownName } from "./shown-name.js";
