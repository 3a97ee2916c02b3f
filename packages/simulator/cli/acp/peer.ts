type Id = string | number | null;
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Answers a request of the client; `peer` leads back to it. */
export type Handler = (params: Params, peer: Peer) => Promise<unknown>;
/** JSON from outside: only the used fields are read, and none is trusted. */
export type Params = Readonly<Record<string, unknown>>;

/** Becomes the error response to the request in which it was thrown. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const INVALID_PARAMS = -32602;
export const AUTH_REQUIRED = -32000;

/** JSON-RPC 2.0, one message per line. Written by hand, because a simulator must be able to send what no library would. */
export class Peer {
  readonly #out: (text: string) => void;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #waiting = new Map<Id, (message: Message) => void>();
  #nextId = 0;

  constructor(out: (text: string) => void, handlers: Readonly<Record<string, Handler>>) {
    this.#out = out;
    this.#handlers = new Map(Object.entries(handlers));
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Sends a request to the client. An error response is returned like any other. */
  async request(method: string, params: object): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    return (await answer).result;
  }

  /** Requests run concurrently, so that a prompt does not delay its own cancellation. */
  receive(message: Message): void {
    const { id, method } = message;
    if (method === undefined) {
      const resolve = this.#waiting.get(id ?? null);
      this.#waiting.delete(id ?? null);
      resolve?.(message);
      return;
    }
    void this.#answer(id, method, message.params);
  }

  async #answer(id: Id | undefined, method: string, params: unknown): Promise<void> {
    try {
      const handler = this.#handlers.get(method);
      if (handler === undefined) throw new RpcError(-32601, `"Method not found": ${method}`);
      const result = await handler(isObject(params) ? params : {}, this);
      if (id !== undefined) this.#send({ id, result });
    } catch (thrown) {
      const code = thrown instanceof RpcError ? thrown.code : -32603;
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      if (id !== undefined) this.#send({ id, error: { code, message } });
    }
  }

  #send(message: object): void {
    this.#out(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

export function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(params: Params, name: string): string {
  const value = params[name];
  return typeof value === "string" ? value : "";
}

export function objectsOf(params: Params, name: string): Params[] {
  const value = params[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
