/** Colours, cursor moves and titles. JSON is not harmed: it never holds a bare escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

export function stripAnsi(text: string): string {
  return text.includes("\u001b") ? text.replace(sequences, "") : text;
}
