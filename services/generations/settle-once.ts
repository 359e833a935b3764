import { AppError } from '../../domain/errors.ts';
import type { OpenGeneration } from './generation.ts';
import type { LiveDeps } from './live-deps.ts';

/** The end of a stream, which the upstream, the caller and a failure may all bring about. */
export interface Settlement<Bill> {
  /** Resolves when the generation is in the ledger; `failure` is what cut the stream off, if anything did. */
  end(failure: AppError | undefined): Promise<Bill>;
  /** The caller left; does nothing when it has ended. Never rejects. */
  abandon(): Promise<void>;
}

/** Settles the generation of a stream once, whoever comes first. */
export function settleOnce<Bill>(
  { logger }: Pick<LiveDeps, 'logger'>,
  { call }: Pick<OpenGeneration, 'call'>,
  settle: (failure: AppError | undefined) => Promise<Bill>,
): Settlement<Bill> {
  let ended: Promise<Bill> | undefined;
  const end = (failure: AppError | undefined): Promise<Bill> => (ended ??= settle(failure));
  return {
    end,
    async abandon(): Promise<void> {
      if (ended !== undefined) return;
      const { requestId } = call.client;
      await end(new AppError('client_cancelled')).catch((error: unknown) => {
        logger.error({ err: error, requestId }, 'a stream whose caller left could not be ended');
      });
    },
  };
}
