import type { RequestListener } from "node:http";

/**
 * Listens at once, and hands requests over to what is loaded meanwhile. Those that come before wait; those that come after are
 * handed over by a plain call. Where loading fails, connections are dropped.
 */
export function lateListener(load: () => Promise<RequestListener>): RequestListener {
  let listener: RequestListener = (request, response) => {
    load().then(
      (loaded) => {
        listener = loaded;
        loaded(request, response);
      },
      () => response.destroy(),
    );
  };
  return (request, response) => listener(request, response);
}
