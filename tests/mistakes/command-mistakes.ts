import type { Mistake } from "./mistake.js";
import type { Stage } from "./stage.js";

const badSettings: readonly { mistake: string; text: string; says: readonly (string | RegExp)[] }[] = [
  {
    mistake: "broken JSON",
    text: '{\n  "port": 32124,\n  "host" "127.0.0.1"\n}',
    says: ["curlew.json:3:10: a colon is missing."],
  },
  {
    mistake: "unknown key",
    text: '{ "prot": 32124 }',
    says: ["curlew.json:1:3: prot is not a setting. Did you mean port?"],
  },
  {
    mistake: "wrong value in a list",
    text: '{ "routes": { "gpt-5*": "nowhere" } }',
    says: ["curlew.json:1:25: routes.gpt-5* must be one of", 'not "nowhere"'],
  },
];

export const commandMistakes: readonly Mistake[] = [
  {
    number: 26,
    mistake: "no network (`curlew login`)",
    make: (stage) => {
      const nowhere = "https://nowhere.invalid";
      return stage.run(["login", "--no-browser"], { CURSOR_BACKEND_URL: nowhere, CURSOR_WEBSITE_URL: nowhere });
    },
    status: 1,
    says: ["nowhere.invalid", "curlew doctor"],
  },
  {
    number: 28,
    mistake: "port in use by another Curlew",
    async make(stage) {
      const { port } = new URL((await stage.gateway()).url);
      return stage.run(["serve", "--port", port]);
    },
    status: 1,
    says: ["Curlew already runs at http://127.0.0.1:", "--port"],
  },
  ...badSettings.map(
    ({ mistake, text, says }): Mistake => ({
      number: 29,
      mistake: `\`curlew.json\`: ${mistake}`,
      make: (stage) => serveWith(stage, text),
      status: 2,
      says,
    }),
  ),
  {
    number: 30,
    mistake: "alias pointing to an alias",
    make: (stage) => serveWith(stage, '{ "modelAliases": { "fast": "quick", "quick": "fast" } }'),
    status: 2,
    says: ["curlew.json:1:", "fast", "quick", "alias"],
  },
];

function serveWith(stage: Stage, text: string) {
  return stage.run(["serve", "--port", "0", "--config", stage.file("curlew.json", text)]);
}
