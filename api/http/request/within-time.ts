import { AppError } from '../../../domain/errors.ts';

/**
 * Rejects with a 408 if the work takes longer than `timeoutMs`. The work continues, but its result is dropped. The
 * connection is closed with the answer, because a body may still be arriving.
 */
export async function withinTime<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new AppError('timeout', { headers: { connection: 'close' } })),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
