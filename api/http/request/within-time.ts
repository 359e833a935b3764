import { AppError } from '../../../domain/errors.ts';

/**
 * Rejects with 408 when the work takes longer. The work goes on, and its result is dropped. The connection is closed with the
 * answer, since a body may still be on its way.
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
