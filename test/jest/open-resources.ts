import { setTimeout as delay } from 'node:timers/promises';

const CHECK_EVERY_MS = 50;
/** What is being closed may take a moment to be gone, on machines that are busy. */
const PATIENCE_MS = 30_000;

/**
 * Opens the standard streams now, so that they count as open before any suite. Node opens them late, when a package
 * imports `node:process` as a module, and they stay open until the process ends.
 */
void [process.stdin, process.stdout, process.stderr];

/** Servers, connections, child processes, timers: how many of each keep this process from ending. */
export function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Throws when more is open than was before, and stays so. */
export async function expectNoMoreOpen(before: Map<string, number>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`The suite left open: ${left.map(([kind, count]) => `${kind} (${count})`).join(', ')}`);
    }
    await delay(CHECK_EVERY_MS);
  }
}
