import type { Leftover } from '../../db/videos/leftover-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CallContext } from '../../providers/call-context.ts';
import { type CancelDeps, cancelLeftover, cancelUpstream } from './cancel-upstream.ts';

/** What asking may take of the sweep's time for one question. */
const PATIENCE_MS = 3_000;

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

/** Neither ever throws: a job ends, and the next one has its turn, whether or not its provider stops. */
export interface UpstreamStopper {
  /** A job that is about to be ended from outside its run. */
  stop(job: Stoppable): Promise<void>;
  /** What a job that is over left at its provider; whether the provider is done with it. */
  stopLeftover(leftover: Leftover): Promise<boolean>;
}

/**
 * Asks providers to stop. One that does not answer in time is not asked again by this stopper: a provider that
 * hangs must not hold up the end of all its jobs. What was not stopped is left over, and asked about later. Each own
 * credential counts as a provider of its own, since it may lead to a server of the customer's.
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
    const signal = AbortSignal.timeout(PATIENCE_MS);
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
