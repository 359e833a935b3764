import type { Logger } from '../../platform/logger.ts';
import { type CancelDeps, cancelUpstream } from './cancel-upstream.ts';

/** What asking may take of the sweep's time for one question. */
const PATIENCE_MS = 3_000;

export interface StopperDeps {
  cancel: CancelDeps;
  logger: Logger;
}

/** Never throws: the job ends whether or not the provider stops. */
export type UpstreamStopper = (job: { id: string; provider: string }) => Promise<void>;

/**
 * Asks providers to stop jobs that are about to be ended from outside their runs. One that does not answer in
 * time is not asked again: a provider that hangs must not hold up the end of all its jobs.
 */
export function createUpstreamStopper({ cancel, logger }: StopperDeps): UpstreamStopper {
  const silent = new Set<string>();
  return async ({ id: jobId, provider }) => {
    if (silent.has(provider)) return;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      await cancelUpstream(cancel, jobId, { signal, requestId: jobId });
    } catch (error) {
      if (signal.aborted) silent.add(provider);
      logger.warn(
        { err: error, jobId },
        'the provider could not be asked to stop; the job ends all the same',
      );
    }
  };
}
