// A run as paths and values: all that a client sent, comparable with another client's.
import { platform, release } from "node:os";

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/**
 * Maps a run of the simulator's journal to path -> value. Omits heartbeats, which depend on the clock.
 */
export function flatten({ headers, messages }) {
  const values = new PathValues();
  for (const name of Object.keys(headers).sort()) values.add(`header.${name}`, headers[name]);
  const execKinds = new Map(
    messages.flatMap(({ execClientMessage: exec }) => (exec ? [[exec.id, execKind(exec)]] : [])),
  );
  const order = [];
  const blobAnswers = new Map();
  for (const message of messages) {
    const [[kind, body], ...beside] = Object.entries(message);
    for (const [name, value] of beside) values.add(snake(name), value);
    switch (kind) {
      case "clientHeartbeat":
        break;
      case "execClientMessage":
        addExec(values, body);
        order.push(snake(execKind(body)));
        break;
      case "execClientControlMessage": {
        const [[control, { id, ...rest }]] = Object.entries(body);
        if (control === "heartbeat") break;
        values.add(`exec.${snake(execKinds.get(id) ?? "unanswered")}.${snake(control)}`, rest);
        order.push(snake(control));
        break;
      }
      case "kvClientMessage": {
        const { id = 0, ...answer } = body;
        const answers = blobAnswers.get(id) ?? [];
        blobAnswers.set(id, [...answers, answer]);
        break;
      }
      default:
        values.add(snake(kind), body);
        order.push(snake(kind));
    }
  }
  // Number and order of the blob answers depend on the server.
  for (const answer of distinct([...blobAnswers.values()].flat())) values.add("kv", answer);
  if (blobAnswers.size > 0) {
    const isOnce = [...blobAnswers.values()].every((answers) => answers.length === 1);
    values.add("kv.answers", isOnce ? "one for each question" : "several for one question");
  }
  values.add("order", order.join(", "));
  return values.toMap();
}

/** The kind of the answer: the one field that is not part of the frame. */
function execKind({ id, execId, localExecutionTimeMs, hookAdditionalContexts, ...result }) {
  return Object.keys(result)[0];
}

function addExec(values, { id, ...exec }) {
  const kind = execKind({ id, ...exec });
  const { [kind]: result, ...frame } = exec;
  const path = `exec.${snake(kind)}`;
  values.add(path, { id, ...frame });
  const { requestContext, ...beside } = result.success ?? {};
  if (requestContext === undefined) {
    values.add(path, result);
  } else {
    // The one large answer gets a short path for its fields.
    values.add(path, { ...result, success: { ...beside, requestContext: "see context" } });
    values.add("context", requestContext);
  }
}

/** Values by path. A value that occurs more than once at a path is listed once, with its count. */
class PathValues {
  #values = new Map();
  /** The first path of each id. */
  #ids = new Map();

  add(path, value) {
    if (Array.isArray(value)) {
      for (const item of value) this.add(`${path}[${role(item)}]`, item);
    } else if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) this.add(`${path}.${snake(name)}`, inner);
    } else {
      const values = this.#values.get(path) ?? [];
      const text = typeof value === "object" ? "{}" : String(value);
      this.#values.set(path, [...values, steady(path, this.#withoutIds(path, text))]);
    }
  }

  /** Replaces ids by the first path that has them: ids vary, but their equality is worth comparing. */
  #withoutIds(path, text) {
    return text.replace(UUID, (id) => {
      const first = this.#ids.get(id) ?? path;
      this.#ids.set(id, first);
      return first === path ? "<uuid>" : `<uuid of ${first}>`;
    });
  }

  toMap() {
    return new Map([...this.#values].map(([path, values]) => [path, countedOnce(values)]));
  }
}

function countedOnce(values) {
  const counted = distinct(values).map((value) => [value, values.filter((each) => each === value).length]);
  return counted.map(([value, count]) => (count > 1 ? `${value} ×${count}` : value)).join(" + ");
}

function distinct(values) {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The name that identifies an item of a list; its index is meaningless. */
function role(item) {
  return item?.toolName ?? item?.serverIdentifier ?? item?.fullPath?.split("/").at(-1) ?? "";
}

function snake(name) {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Replaces values that vary by their kind. */
function steady(path, value) {
  if (path.endsWith(".local_execution_time_ms")) return "<ms>";
  if (path.endsWith(".used_tokens")) return "<count>";
  if (path.endsWith(".blob_data") || path.endsWith("pre_fetched_blobs[].value")) return "<bytes>";
  if (path.endsWith(".time_zone") && value === timeZone) return "<time zone>";
  if (path.endsWith(".os_version")) return value.replace(platform(), "<platform>").replace(release(), "<release>");
  return value
    .replace(/^[\w+/]{43}=$/, "<blob id>")
    .replace(/^(cli|sdk)-\d[\w.-]*$/, "$1-<version>")
    .replace(/^connect-es\/[\d.]+$/, "connect-es/<version>")
    .replace(/(\/[^/\s]+)*\/curlew-sdk-case-\w+/g, "<case>")
    .replace(/[\w-]*curlew-sdk-case-\w+-project/g, "<slug>");
}
