/** Lets the sweep stop video jobs at providers without waiting for a silent provider again. */
import type { Leftover } from '../../db/videos/leftover-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CallContext } from '../../providers/call-context.ts';
import { type CancelDeps, cancelLeftover, cancelUpstream } from './cancel-upstream.ts';

/** The timeout of one call, so that the calls fit into the sweep's time. */
const CALL_TIMEOUT_MS = 3_000;

export interface StopperDeps {
  cancel: CancelDeps;
  logger: Logger;
}

/** A job at its provider. `credentialId` is the customer's own credential, or null for the operator's. */
interface Stoppable {
  id: string;
  provider: string;
  credentialId: string | null;
}

/**
 * Creates a stopper. It never calls a provider again that did not answer in time, because one silent provider must not
 * delay the end of all its jobs. Operations that were not stopped stay leftovers, which later sweeps stop. Each of the
 * customers' credentials counts as its own provider, because it may lead to a customer's server.
 */
export function createUpstreamStopper({ cancel, logger }: StopperDeps) {
  const silent = new Set<string>();

  const ask = async <T>(
    { id: jobId, provider, credentialId }: Stoppable,
    question: (context: CallContext) => Promise<T>,
  ): Promise<T | undefined> => {
    const account = credentialId === null ? provider : `${provider} ${credentialId}`;
    if (silent.has(account)) {
      logger.warn(
        { jobId, provider },
        'the provider did not answer an earlier call, so no stop request is sent',
      );
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
    /** Stops a job that the sweep is about to end. */
    async stop(job: Stoppable): Promise<void> {
      await ask(job, (context) => cancelUpstream(cancel, job.id, context));
    },
    /** Stops an operation that an ended job left at its provider. Returns whether the provider is done with it. */
    async stopLeftover(leftover: Leftover): Promise<boolean> {
      return (await ask(leftover, (context) => cancelLeftover(cancel, leftover, context))) ?? false;
    },
  };
}

/** Asks providers to stop jobs; never throws. The sweep ends each job even if its provider does not stop it. */
export type UpstreamStopper = ReturnType<typeof createUpstreamStopper>;
