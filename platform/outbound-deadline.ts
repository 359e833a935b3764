import { OutboundTimeoutError } from './outbound-error.ts';

export interface Deadline {
  /** Aborted when the time is up or the caller's own signal is. */
  signal: AbortSignal;
  /**
   * Settles with the work, or rejects as soon as the signal is aborted. undici looks at its signal only once
   * a socket is connected; a name that never resolves would otherwise outlive the deadline.
   */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock. Idempotent. */
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
