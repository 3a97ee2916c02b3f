/** Settings files as people have them, by the name of the format. `remains` must still be in it after a setup. */
export interface FileCase {
  readonly name: string;
  readonly text: string;
  readonly remains: readonly string[];
}

const jsonText = `{
  // Mine, do not touch
  "theme": "dark",  /* at night */
  "env": { "OTHER": "1" },
  "provider": {"other": {"npm": "x"}},
  "nested": { "list": [1, 2, 3] }
}
`;

const permissions = '{\n  "permissions": {"allow": ["Bash(ls)","Read"],   "deny":[]},\n  "env": {"X":"0"}\n}\n';

const tomlText = `# Mine
model = "gpt-5"   # the best
approval_policy = 'never'

[mcp_servers.docs]
args = [ "-y", "docs", ]
since = 2024-05-27

[model_providers.other]
name = "Other"
`;

const yamlText = `# Mine
name: My models   # at home
version: 2.0.0
schema: v1
models:
    -   name:   other
        provider: "x"

# The end
rules: [a,b]
`;

const jsonMarks = ["// Mine, do not touch", '"theme": "dark",  /* at night */', '"OTHER": "1"', '"npm": "x"'];
const tomlMarks = ["# Mine", "# the best", 'args = [ "-y", "docs", ]', "since = 2024-05-27", 'name = "Other"'];
const yamlMarks = ["# Mine", "name: My models   # at home", "    -   name:   other", "# The end", "rules: [a,b]"];

export const fileCases: Readonly<Record<string, readonly FileCase[]>> = {
  JSON: [
    ...layouts(jsonText, jsonMarks),
    { name: "tabs", text: jsonText.replace(/^ {2}/gm, "\t"), remains: jsonMarks },
    { name: "a trailing comma", text: jsonText.replace("3] }\n}", "3] },\n}"), remains: jsonMarks },
    { name: "four spaces", text: jsonText.replace(/^ {2}/gm, "    "), remains: jsonMarks },
    { name: "lists in one line", text: permissions, remains: [permissions.trim().split("\n")[1] ?? "missing"] },
    { name: "one line", text: '{"theme":"dark"}', remains: ["dark"] },
    { name: "an empty object", text: "{}", remains: [] },
    { name: "nothing but blanks", text: "\n\n", remains: [] },
  ],
  TOML: [
    ...layouts(tomlText, tomlMarks),
    { name: "an inline table", text: 'model_providers = { other = { name = "x" } }\n', remains: ['name = "x"'] },
    { name: "dotted keys", text: 'model_providers.other.name = "x"\n[tui]\na=1\n', remains: ["[tui]\na=1"] },
    { name: "a comment alone", text: "# Mine\n", remains: ["# Mine"] },
    { name: "nothing", text: "", remains: [] },
  ],
  YAML: [
    ...layouts(yamlText, yamlMarks),
    { name: "lists that are not indented", text: "models:\n- name: other\nx: 'y'\n", remains: ["- name: other"] },
    { name: "lists in brackets", text: "models: [{name: a}]\n", remains: ["a"] },
    { name: "marks of a document", text: "---\nname: x\n...\n", remains: ["---", "name: x"] },
    { name: "anchors", text: "name: &mine x\nalso: *mine\n", remains: ["&mine", "*mine"] },
    { name: "a comment alone", text: "# Mine\n", remains: ["# Mine"] },
    { name: "nothing", text: "", remains: [] },
  ],
};

function layouts(text: string, remains: readonly string[]): FileCase[] {
  return [
    { name: "comments", text, remains },
    { name: "Windows line ends", text: text.replaceAll("\n", "\r\n"), remains },
    { name: "a byte order mark", text: `\uFEFF${text}`, remains },
    { name: "mixed line ends", text: text.replace("\n", "\r\n"), remains },
    { name: "no line end at the end", text: text.trimEnd(), remains },
  ];
}
