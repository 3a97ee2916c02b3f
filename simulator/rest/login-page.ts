const APPROVE_PATH = "/api/auth/loginDeepCallbackControl";

/** The only page of the simulated website. `text` is ours, so nothing needs escaping. */
export function loginPage(text: string, form = ""): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Simulated login</title></head>
<body style="font-family: sans-serif; margin: 4rem auto; max-width: 32rem">
<h1>Simulated login</h1>
<p>This is not Cursor. It is the simulator that comes with Curlew.</p>
<p>${text}</p>
${form}</body>
</html>
`;
}

/** The button to agree. Both values come from the address, so they are accepted only in their exact form. */
export function approveForm(uuid: string, challenge: string): string {
  if (!/^[\w-]+$/.test(uuid) || !/^[\w-]+$/.test(challenge)) return "";
  return `<form action="${APPROVE_PATH}">
<input type="hidden" name="uuid" value="${uuid}">
<input type="hidden" name="challenge" value="${challenge}">
<button>Yes, sign in</button>
</form>
<script>
document.forms[0].addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
  const answer = await fetch(event.target.action, { method: "POST", headers: { "content-type": "application/json" }, body });
  event.target.replaceWith(answer.ok ? "Signed in. You can close this page." : "This login link was used already.");
});
</script>
`;
}
