import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-identity.ts';

/** A process that was started here, now or by an earlier run. */
export interface ProcessRef {
  pid: number;
  identity: string;
}

/** Signals to send, politest first, and how long to wait after each. */
export type StopPlan = { signal: NodeJS.Signals; waitMs: number }[];

const POLL_MS = 50;

export function isRunning(process: ProcessRef): boolean {
  return processIdentity(process.pid) === process.identity;
}

/**
 * Goes through the plan until the process is gone, then kills what is left of its process group. Signals
 * only the very process that was meant, never a later one with the same pid. Resolves when it is gone.
 */
export async function stopProcess(target: ProcessRef, plan: StopPlan): Promise<void> {
  if (!isRunning(target)) return;
  for (const { signal, waitMs } of plan) {
    if (!isRunning(target)) break;
    signalQuietly(target.pid, signal);
    await waitUntilGone(target, waitMs);
  }
  // The group of a detached child has its pid; helpers of its own may have outlived it there.
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
    // Gone between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
