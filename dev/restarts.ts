/** Restarts the processes of `npm run dev` whose code changed. */
import type { SluiceProcess } from './stack/sluice-processes.ts';

/** The wait after a change. Editors save in several steps, and a checkout changes many files. */
const SETTLE_MS = 200;

interface RestartsOptions {
  restart(which: SluiceProcess): Promise<void>;
  say(text: string): void;
  settleMs?: number;
}

/**
 * Returns a function that restarts processes soon after their code has changed, one process at a time. A process whose
 * restart fails restarts after its next change.
 */
export function createRestarts({ restart, say, settleMs = SETTLE_MS }: RestartsOptions) {
  const changed = new Set<SluiceProcess>();
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;
  const restartAll = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    // The loop also reaches processes whose code changes meanwhile.
    for (const which of changed) {
      changed.delete(which);
      say(`Code changed: restarting the ${which} ...`);
      await restart(which).catch(({ message }: Error) => {
        say(`The ${which} did not restart: ${message}\nIt restarts when its code changes.`);
      });
    }
    isBusy = false;
  };
  return (processes: readonly SluiceProcess[]): void => {
    for (const which of processes) changed.add(which);
    clearTimeout(timer);
    timer = setTimeout(() => void restartAll(), settleMs);
  };
}
