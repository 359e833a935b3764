/** Returns whether the promise is still pending after this time. Never rejects, and leaves no timer behind. */
export function isPendingAfter(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    const settled = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    promise.then(settled, settled);
  });
}
