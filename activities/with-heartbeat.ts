import { Context } from '@temporalio/activity';

const EVERY_MS = 5_000;

/** Heartbeats while long work runs, so that the server finds a dead worker before the attempt's time is up. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
