// Runs on Bun. Stands in for OpenCode: loads the plugin, signs in or passes it an API key, and prints the address of its proxy.

const { resolveSync } = globalThis.Bun;
const [folder, key] = process.argv.slice(2);
const { CursorAuthPlugin } = await import(resolveSync("opencode-cursor-oauth", folder));

let login = { type: "oauth", refresh: key, access: "", expires: 0 };
const client = {
  auth: {
    async set({ body }) {
      login = body;
    },
  },
};
const { auth } = await CursorAuthPlugin({ client });
if (key === undefined) {
  const { url, callback } = await auth.methods[0].authorize();
  console.log(url);
  login = { ...(await callback()), type: "oauth" };
}
const { baseURL } = await auth.loader(async () => login);
console.log(baseURL);
