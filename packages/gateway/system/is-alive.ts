/** Whether a process with this id exists. The id may have been reused by another program. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is alive, but belongs to another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
