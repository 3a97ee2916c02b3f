import { describe, expect, it } from "vitest";
import { editedText } from "./edited-text.js";
import type { Format } from "./formats/format.js";
import { json } from "./formats/json.js";
import { toml } from "./formats/toml.js";
import { yaml } from "./formats/yaml.js";
import { listItems, type Wanted } from "./merge.js";

interface Case {
  readonly name: string;
  readonly before: string;
  readonly wanted?: Wanted;
  readonly after: string;
}

const env: Wanted = { env: { A: "1", B: "2" } };

const jsonCases: readonly Case[] = [
  {
    name: "members in one line, unevenly spaced",
    before: '{\n  "permissions": {"allow": ["Bash(ls)","Read"],   "deny":[]},\n  "theme" :"dark"\n}\n',
    after:
      '{\n  "permissions": {"allow": ["Bash(ls)","Read"],   "deny":[]},\n  "theme" :"dark",\n  "env": { "A": "1", "B": "2" }\n}\n',
  },
  {
    name: "a one-line object that gets more members",
    before: '{\n    "env": { "X":"0" }, // mine\n    "n": [1,2,\n  3]\n}\n',
    after: '{\n    "env": { "X":"0",\n        "A": "1",\n        "B": "2"\n    }, // mine\n    "n": [1,2,\n  3]\n}\n',
  },
  { name: "one line", before: '{"a":1}', after: '{"a":1,\n  "env": { "A": "1", "B": "2" }\n}' },
  { name: "an empty object", before: "{}", after: '{\n  "env": { "A": "1", "B": "2" }\n}' },
  {
    name: "tabs and Windows line ends",
    before: '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n',
    wanted: { a: { c: { d: { e: 1 } } } },
    after: '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": { "e": 1 }\r\n\t\t}\r\n\t}\r\n}\r\n',
  },
  {
    name: "comments after the last member and before the end",
    before: '{\n  "a": 1 // the last\n  /* the\n end */\n}\n',
    after: '{\n  "a": 1, // the last\n  "env": { "A": "1", "B": "2" }\n  /* the\n end */\n}\n',
  },
  {
    name: "a comma after the last member",
    before: '{\n  "env": {\n    "X": "0", // mine\n  },\n}\n',
    after: '{\n  "env": {\n    "X": "0", // mine\n    "A": "1",\n    "B": "2",\n  },\n}\n',
  },
  {
    name: "a comment alone in an object",
    before: '{\n  "env": { /* none */ }\n}',
    after: '{\n  "env": { /* none */\n    "A": "1",\n    "B": "2"\n  }\n}',
  },
  {
    name: "a value that becomes another",
    before: '{ "env" : {\n      "A"  :  "0"  , // mine\n      "B": "2" } }',
    after: '{ "env" : {\n      "A"  :  "1"  , // mine\n      "B": "2" } }',
  },
  {
    name: "a list that gets more members",
    before: '{\n  "list": [ {"id":"x"} ]\n}',
    wanted: { list: listItems("id", [{ id: "curlew" }]) },
    after: '{\n  "list": [ {"id":"x"},\n    { "id": "curlew" }\n  ]\n}',
  },
  {
    name: "a byte order mark and blank lines at the end",
    before: '\uFEFF{\n    "a": 1\n}\n\n\n',
    after: '\uFEFF{\n    "a": 1,\n    "env": { "A": "1", "B": "2" }\n}\n\n\n',
  },
];

const section: Wanted = { model: "new", providers: { curlew: { url: "x" } } };

const tomlCases: readonly Case[] = [
  {
    name: "values unevenly spaced, with comments",
    before: "# top\nmodel   =   'old'  # mine\nargs = [ 1,\n  2, # two\n]\n\n[ tui ]\n  a=1\n",
    wanted: section,
    after:
      "# top\nmodel   =   'new'  # mine\nargs = [ 1,\n  2, # two\n]\n\n[ tui ]\n  a=1\n\n[providers.curlew]\nurl = \"x\"\n",
  },
  {
    name: "Windows line ends, and what looks like a table in a text",
    before: 'model = "old"\r\ntext = """\r\n[providers.curlew]\r\n"""\r\n',
    wanted: section,
    after: 'model = "new"\r\ntext = """\r\n[providers.curlew]\r\n"""\r\n\r\n[providers.curlew]\r\nurl = "x"\r\n',
  },
];

const models: Wanted = { models: listItems("name", [{ name: "curlew", tags: ["t"] }]) };

const yamlCases: readonly Case[] = [
  {
    name: "a list, with comments and blank lines after it",
    before: "models:\n  -   name:   old   # mine\n      x: {a:   1}\n\n\n# end\nrules: [a,b]\n",
    wanted: models,
    after:
      "models:\n  -   name:   old   # mine\n      x: {a:   1}\n  - name: curlew\n    tags:\n      - t\n\n\n# end\nrules: [a,b]\n",
  },
  {
    name: "a list that is not indented",
    before: "models:\n- name: old\nz:   1\n",
    wanted: models,
    after: "models:\n- name: old\n- name: curlew\n  tags:\n  - t\nz:   1\n",
  },
  {
    name: "a list in brackets over several lines",
    before: "models: [{name: a},\n   {name: b}  ]  # mine\n",
    wanted: models,
    after: "models: [{name: a},\n   {name: b}, { name: curlew, tags: [ t ] }  ]  # mine\n",
  },
  {
    name: "values that become others, in their own quotation marks",
    before: "# aider\nmodel:   gpt-4   # mine\nbase: 'old'\nread: [a,\n  b]\n",
    wanted: { model: "new", base: "it's", key: "k" },
    after: "# aider\nmodel:   new   # mine\nbase: 'it''s'\nread: [a,\n  b]\nkey: k\n",
  },
  {
    name: "Windows line ends and a text of several lines",
    before: "text: |\r\n  a\r\n\r\n  b\r\n",
    wanted: { key: "k" },
    after: "text: |\r\n  a\r\n\r\n  b\r\nkey: k\r\n",
  },
  { name: "no line end at the end", before: "a:   1", wanted: { key: "k" }, after: "a:   1\nkey: k" },
  { name: "a comment alone", before: "# mine\n", wanted: { a: { b: 1 } }, after: "# mine\na:\n  b: 1\n" },
  {
    name: "marks of a document",
    before: "---\na:   1\n...\n",
    wanted: { key: "k" },
    after: "---\na:   1\nkey: k\n...\n",
  },
];

describe.each<[string, Format, readonly Case[]]>([
  ["JSON", json, jsonCases],
  ["TOML", toml, tomlCases],
  ["YAML", yaml, yamlCases],
])("an edit of %s changes only its own range", (_, format, cases) => {
  it.each(cases)("in a file with $name", ({ before, wanted = env, after }) => {
    const edited = editedText(before, format, wanted);
    expect(edited).toBe(after);
    expect(editedText(edited, format, wanted)).toBe(edited);
  });
});
