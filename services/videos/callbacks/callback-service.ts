/** Receives and verifies the callbacks of video providers, and wakes the jobs that have ended. */
import type { IncomingHttpHeaders } from 'node:http';
import { type CallbackTarget, createCallbackStore } from '../../../db/videos/callback-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { CallbackNote, VideoAdapter } from '../../../providers/video-adapter.ts';
import type { RunStarter } from '../../runs/run-starter.ts';
import type { CallbackTokens } from './callback-url.ts';

export interface ReceivedCallback {
  provider: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The job in the callback's address. Without it, the vendor's signature is the proof. */
  job?: { id: string; token: string };
}

export interface CallbackServiceOptions {
  knex: Handle;
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
  tokens: CallbackTokens;
  runs: Pick<RunStarter, 'signalProviderCallback'>;
  logger: Logger;
}

/**
 * Creates the service. A callback is only a hint: a terminal callback wakes the job's run once, and the run then calls
 * the vendor. Any other callback stores its status text in the row. Polling continues even if callbacks are lost.
 */
export function createCallbackService(options: CallbackServiceOptions) {
  const store = createCallbackStore(options.knex);
  return {
    /**
     * Returns whether the body of a callback to this address is worth reading. That is so when the token is right or,
     * without a job, when the vendor's signing secret is configured.
     */
    admits: ({ provider, job }: Pick<ReceivedCallback, 'provider' | 'job'>): boolean =>
      job === undefined
        ? options.videoAdapter(provider)?.checksSignatures === true
        : options.tokens.verify(provider, job.id, job.token),
    /**
     * Handles a vendor's callback. Returns false when the callback is not proven to be the vendor's, or is about an
     * unknown job. The sender cannot tell the two apart. A repeated callback changes nothing.
     */
    async receive(callback: ReceivedCallback): Promise<boolean> {
      const { provider, job } = callback;
      const note = await prove(options, callback);
      if (note === undefined) return false;
      const target = await (job === undefined
        ? store.findByOperation(provider, note.operationId)
        : store.findByJob(job.id));
      if (target === null) return false;
      if (isCurrent(target, provider, note)) await act(options, target, note);
      return true;
    },
  };
}

export type CallbackService = ReturnType<typeof createCallbackService>;

/** Verifies a callback before any row is read, so that a stranger learns nothing and costs little. */
async function prove(
  options: CallbackServiceOptions,
  callback: ReceivedCallback,
): Promise<CallbackNote | undefined> {
  const { provider, headers, body, job } = callback;
  if (job !== undefined && !options.tokens.verify(provider, job.id, job.token)) return undefined;
  const note = await options.videoAdapter(provider)?.parseCallback?.({ headers, body, nowMs: Date.now() });
  if (note === undefined) return undefined;
  if (note === 'not_authentic') {
    const facts = { provider, jobId: job?.id };
    // The token is right, so the likely cause of a wrong signature is a wrong signing secret in the configuration.
    if (job !== undefined) options.logger.warn(facts, 'provider callback refused: not signed as configured');
    return undefined;
  }
  return job === undefined && !note.signed ? undefined : note;
}

/** Returns whether the callback concerns the job's current submission, and not one that was abandoned. */
function isCurrent({ isOpen, live }: CallbackTarget, provider: string, note: CallbackNote): boolean {
  if (!isOpen || live?.provider !== provider) return false;
  // The vendor may be done before its answer to the submission was stored.
  return live.operationId === null || live.operationId === note.operationId;
}

async function act(
  { knex, runs, logger }: CallbackServiceOptions,
  { jobId }: CallbackTarget,
  { terminal, vendorStatus }: CallbackNote,
): Promise<void> {
  const store = createCallbackStore(knex);
  if (!terminal) return store.noteVendorStatus(jobId, vendorStatus);
  if (!(await store.claimSignal(jobId))) return;
  await runs.signalProviderCallback(jobId).catch((error: unknown) => {
    logger.warn({ err: error, jobId }, 'a provider callback could not be passed on; polling goes on');
  });
}
