// The turns of every client: a tool round trip, the next turn, and two tools at once in a new conversation.

/** Files that the tools read. Each command appends a mark, which counts its executions. */
export const notes = { "note.txt": "heron-4711", "other.txt": "plover-0815" };
export const marks = "marks.txt";

export const turns = [
  { name: "tool", isNew: true, reads: ["note.txt"], says: "The note was read." },
  { name: "next", isNew: false, reads: [], says: "It was about birds." },
  { name: "pair", isNew: true, reads: ["note.txt", "other.txt"], says: "Both were read." },
];

/** The directives that make the simulated model play the turn. */
export function promptOf({ reads, says }, { shell }) {
  const calls = reads.map((file) => {
    const [name, input] = shell(`cat ${file}; echo ${file} >> ${marks}`);
    return `[[call ${name} ${JSON.stringify(input)}]]`;
  });
  return `${calls.join(" ")} then [[say ${says}]]`;
}
