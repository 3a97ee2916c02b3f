/** Whether there is a process with this id. Its id alone may have been given to another program since. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process of another user is alive, though it may not be asked.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
