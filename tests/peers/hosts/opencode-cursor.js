// Runs on Bun. Stands in for OpenCode: loads the plugin, passes it a login, and prints the address of its proxy.

const { resolveSync } = globalThis.Bun;
const [folder] = process.argv.slice(2);
const { CursorAuthPlugin } = await import(resolveSync("opencode-cursor-oauth", folder));

let login = { type: "oauth", refresh: "crsr_peer", access: "", expires: 0 };
const client = {
  auth: {
    async set({ body }) {
      login = body;
    },
  },
};
const { auth } = await CursorAuthPlugin({ client });
const { baseURL } = await auth.loader(async () => login);
console.log(baseURL);
