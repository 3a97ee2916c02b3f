// What is asked of every client: a tool round trip, one more turn of the same conversation, and two tools at once in a new one.

/** What the tools are to read. Each command leaves a mark, so that it shows how often it was run. */
export const notes = { "note.txt": "heron-4711", "other.txt": "plover-0815" };
export const marks = "marks.txt";

export const turns = [
  {
    name: "tool",
    asks: "first",
    prompt: (call) => `${call("note.txt")} then [[say The note was read.]]`,
    says: "The note was read.",
    secrets: [notes["note.txt"]],
    continuity: ["cold:new", "warm"],
    conversations: 1,
    commands: 1,
  },
  {
    name: "next",
    asks: "next",
    prompt: () => "[[say It was about birds.]]",
    says: "It was about birds.",
    secrets: [],
    continuity: ["warm"],
    conversations: 0,
    commands: 0,
  },
  {
    name: "pair",
    asks: "first",
    prompt: (call) => `${call("note.txt")} ${call("other.txt")} then [[say Both were read.]]`,
    says: "Both were read.",
    secrets: Object.values(notes),
    continuity: ["cold:new", "warm"],
    conversations: 1,
    commands: 2,
  },
];

/** The words that make the simulated model have this client read a note. */
export function callOf({ shell }) {
  return (file) => {
    const [name, input] = shell(`cat ${file}; echo ${file} >> ${marks}`);
    return `[[call ${name} ${JSON.stringify(input)}]]`;
  };
}
