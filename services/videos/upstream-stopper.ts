import type { Leftover } from '../../db/videos/leftover-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CallContext } from '../../providers/call-context.ts';
import { type CancelDeps, cancelLeftover, cancelUpstream } from './cancel-upstream.ts';

/** The time that one call may take of the sweep's time. */
const CALL_TIMEOUT_MS = 3_000;

export interface StopperDeps {
  cancel: CancelDeps;
  logger: Logger;
}

/** A job at its provider, with the customer's own credential or, where that is null, the operator's. */
interface Stoppable {
  id: string;
  provider: string;
  credentialId: string | null;
}

/**
 * Asks providers to stop jobs; never throws. A job ends, and the next one has its turn, even if the provider does not
 * stop.
 */
export interface UpstreamStopper {
  /** Stops a job that is about to be ended from outside its run. */
  stop(job: Stoppable): Promise<void>;
  /** Stops an operation that an ended job left at its provider. Returns whether the provider is done with it. */
  stopLeftover(leftover: Leftover): Promise<boolean>;
}

/**
 * Creates a stopper. A provider that does not answer in time is not called again by this stopper, so that it cannot
 * hold up the end of all its jobs. Operations that were not stopped are left over and asked about later. Each own
 * credential counts as a provider of its own, because it may lead to a server of the customer's.
 */
export function createUpstreamStopper({ cancel, logger }: StopperDeps): UpstreamStopper {
  const silent = new Set<string>();

  const ask = async <T>(
    { id: jobId, provider, credentialId }: Stoppable,
    question: (context: CallContext) => Promise<T>,
  ): Promise<T | undefined> => {
    const account = credentialId === null ? provider : `${provider} ${credentialId}`;
    if (silent.has(account)) {
      logger.warn({ jobId, provider }, 'the provider was silent a moment ago and is not asked to stop now');
      return undefined;
    }
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return await question({ signal, requestId: jobId });
    } catch (error) {
      if (signal.aborted) silent.add(account);
      logger.warn({ err: error, jobId, provider }, 'the provider could not be asked to stop');
      return undefined;
    }
  };

  return {
    async stop(job) {
      await ask(job, (context) => cancelUpstream(cancel, job.id, context));
    },
    async stopLeftover(leftover) {
      return (await ask(leftover, (context) => cancelLeftover(cancel, leftover, context))) ?? false;
    },
  };
}
