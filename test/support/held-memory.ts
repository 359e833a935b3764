import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_EVERY_MS = 500;
/** In a large process a look takes long; it may take this share of the time, so that the work goes on. */
const SHARE_OF_TIME = 0.1;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The most memory that the work held at any look, beyond what this process held before: heap and buffers, the
 * garbage collected first, so that it is what somebody still refers to.
 */
export async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  const before = heldNow();
  let most = 0;
  let timer: NodeJS.Timeout;
  const lookAfter = (waitMs: number): void => {
    timer = setTimeout(() => {
      const startedAt = performance.now();
      most = Math.max(most, heldNow() - before);
      lookAfter(Math.max(CHECK_EVERY_MS, (performance.now() - startedAt) / SHARE_OF_TIME));
    }, waitMs);
  };
  lookAfter(CHECK_EVERY_MS);
  try {
    await work();
  } finally {
    clearTimeout(timer!);
  }
  return most;
}

/** Buffers that one collection frees are counted until the next one, which waits for their memory to be given back. */
function heldNow(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
