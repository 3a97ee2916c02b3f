export { type Catalogue, createCatalogue } from "./catalogue.js";
export { effortsOf } from "./effort.js";
export { shownName } from "./find-model.js";
export { keptModels, modelFile } from "./model-file.js";
export type { ResolvedModel } from "./resolve.js";
