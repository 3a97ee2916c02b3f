import type { DescribedRoute } from "../openapi/index.js";

/** What `GET /` tells a program: all routes, with a line about each. */
export function writeAbout(routes: readonly DescribedRoute[], version: string) {
  return {
    name: "Curlew",
    version,
    description: "/openapi.json",
    page: "Open this address in a browser, or run: curlew dashboard",
    routes: Object.fromEntries(routes.map(({ method, path, summary }) => [`${method.toUpperCase()} ${path}`, summary])),
  };
}
