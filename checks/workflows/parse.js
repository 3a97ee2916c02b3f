import { build } from "rolldown";

/**
 * What GitHub's own parser (@actions/workflow-parser) says about each workflow. It imports JSON in a way that only bundlers take, so
 * it is bundled first.
 */
export async function createParser() {
  const { output } = await build({ input: "@actions/workflow-parser", platform: "browser", write: false });
  const code = Buffer.from(output[0].code).toString("base64");
  const { NoOperationTraceWriter, parseWorkflow } = await import(`data:text/javascript;base64,${code}`);
  return (name, content) =>
    parseWorkflow({ name, content }, new NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ range, rawMessage, message }) => ({ line: range?.start.line ?? 1, what: rawMessage ?? message }));
}
