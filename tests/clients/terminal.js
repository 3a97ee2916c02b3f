// For what a client does only on a terminal, which `script` (of util-linux) gives it.

export function terminalCommand(command) {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", "-qec", `stty rows 40 cols 120; exec ${line}`, "/dev/null"];
}

/** Presses keys as soon as the screen shows, since the last ones, what they wait for. */
export function playOnTerminal(child, keys) {
  const waiting = [...keys];
  let shown = "";
  child.stdout.on("data", (text) => {
    shown += text;
    const [next] = waiting;
    if (next === undefined || !next.after.test(shown)) return;
    waiting.shift();
    shown = "";
    child.stdin.write(next.press);
  });
}
