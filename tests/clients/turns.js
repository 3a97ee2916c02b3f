// The turns of every client: a tool round trip, one more turn of the same conversation, and two tools at once in a new one.

/** The files that the tools read. Each command leaves a mark, which shows how often it was run. */
export const notes = { "note.txt": "heron-4711", "other.txt": "plover-0815" };
export const marks = "marks.txt";

export const turns = [
  { name: "tool", isNew: true, reads: ["note.txt"], says: "The note was read." },
  { name: "next", isNew: false, reads: [], says: "It was about birds." },
  { name: "pair", isNew: true, reads: ["note.txt", "other.txt"], says: "Both were read." },
];

/** The directives for the simulated model that make a client do what the turn is about. */
export function promptOf({ reads, says }, { shell }) {
  const calls = reads.map((file) => {
    const [name, input] = shell(`cat ${file}; echo ${file} >> ${marks}`);
    return `[[call ${name} ${JSON.stringify(input)}]]`;
  });
  return `${calls.join(" ")} then [[say ${says}]]`;
}
