/** Stops processes by signals of increasing severity. */
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-identity.ts';

/** A process that this run or an earlier one started. */
export interface ProcessRef {
  pid: number;
  identity: string;
}

/** The signals to send, mildest first, with the wait after each. */
export type StopPlan = { signal: NodeJS.Signals; waitMs: number }[];

const POLL_MS = 50;

export function isRunning(process: ProcessRef): boolean {
  return processIdentity(process.pid) === process.identity;
}

/**
 * Sends the signals of the plan until the process has ended, then kills the rest of its process group. It never signals
 * a later process with the same pid. Resolves when the process has ended.
 */
export async function stopProcess(target: ProcessRef, plan: StopPlan): Promise<void> {
  if (!isRunning(target)) return;
  for (const { signal, waitMs } of plan) {
    if (!isRunning(target)) break;
    signalQuietly(target.pid, signal);
    await waitUntilGone(target, waitMs);
  }
  // A detached child's group has its pid; its own helpers may still run there.
  signalQuietly(-target.pid, 'SIGKILL');
  await waitUntilGone(target, 5_000);
}

async function waitUntilGone(target: ProcessRef, waitMs: number): Promise<void> {
  const until = Date.now() + waitMs;
  while (isRunning(target) && Date.now() < until) await delay(POLL_MS);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
