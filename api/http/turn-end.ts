/**
 * Returns a function that runs steps at the end of a turn of the event loop, in order, one right after the other.
 *
 * All answers of a turn are written this way, because the first write wakes the process that reads them. Waking it for
 * each answer would take a quarter of the time of a short request. A step must not throw: the steps after it would not
 * run.
 */
export function createTurnEnd(): (step: () => void) => void {
  let steps: (() => void)[] = [];
  const run = (): void => {
    const now = steps;
    steps = [];
    for (const step of now) step();
  };
  return (step) => {
    if (steps.push(step) === 1) setImmediate(run);
  };
}
