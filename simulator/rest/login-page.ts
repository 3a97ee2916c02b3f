/** The only page of the simulated website. `text` is ours, so nothing needs escaping. */
export function loginPage(text: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Simulated login</title></head>
<body style="font-family: sans-serif; margin: 4rem auto; max-width: 32rem">
<h1>Simulated login</h1>
<p>This is not Cursor. It is the simulator that comes with Curlew.</p>
<p>${text}</p>
</body>
</html>
`;
}
