// The messages of the compared turns: the SDK's in cases.js, our gateway's in parity/our-turns.js.
export const said = {
  text: "[[say Terns fly far.]] [[usage 1200 34 1000 50 7]]",
  image: "What is this?",
  first: "My bird is a heron.",
  second: "Which bird is it?",
  tool: 'Please [[call lookup {"key":"tern"}]] and then [[say that was all]].',
  system: "Who are you?",
};

export const systemPrompt = "You count birds.";

export const pixel = {
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

export const lookup = {
  description: "Looks something up.",
  inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
  answer: ({ key }) => `a ${key} is white`,
};
