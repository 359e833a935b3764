/** Ends an outbound request at its timeout, or when its caller aborts it. */
import { OutboundTimeoutError } from './outbound-error.ts';

export interface Deadline {
  /** The signal, which is aborted at the deadline or by the caller's own signal. */
  signal: AbortSignal;
  /**
   * Settles with the work, or rejects as soon as the signal is aborted. undici checks its signal only after a socket
   * connects, so a name that never resolves would outlive the deadline.
   */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Stops the timer. Idempotent. */
  clear(): void;
}

export function createDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(new OutboundTimeoutError(timeoutMs)), timeoutMs);
  const onCallerAbort = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted) onCallerAbort();
  else callerSignal?.addEventListener('abort', onCallerAbort, { once: true });

  return {
    signal,
    limit(work) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        work.then(resolve, reject);
      });
    },
    clear() {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', onCallerAbort);
    },
  };
}
