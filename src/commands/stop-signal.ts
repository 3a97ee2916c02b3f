/** Resolves when the process is asked to stop. A second request while it is stopping calls `onSecond`. */
export function stopSignal(onSecond: () => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const onSignal = () => {
      if (isFirst) resolve();
      else onSecond();
      isFirst = false;
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}
