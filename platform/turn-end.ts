/** Runs steps at the end of a turn of the event loop. */

let steps: (() => void)[] = [];

/**
 * Runs a step at the end of this turn of the event loop: all steps of a turn in order, one right after the other.
 *
 * All answers of a turn are written this way, because the first write wakes the process that reads them. Waking it for
 * each answer would take a quarter of the time of a short request. A step must not throw: the steps after it would not
 * run.
 */
export function atTurnEnd(step: () => void): void {
  if (steps.push(step) === 1) setImmediate(run);
}

function run(): void {
  const now = steps;
  steps = [];
  for (const step of now) step();
}
