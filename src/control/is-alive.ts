export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process of another user is alive, too.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
