/** Reads the parts of answers and callbacks that mean the same at several vendors of videos. */
import type { z } from 'zod';
import { ProviderError } from '../domain/provider-error.ts';
import { OutboundResponseTooLargeError } from '../platform/outbound-error.ts';
import type { CancelAnswer, VideoOutput, VideoStatus } from './video-adapter.ts';

/** The message for a job that failed without words that are fit to show. */
export const FAILED_MESSAGE = 'The provider could not generate the video';

/** The statuses with which vendors refuse a cancel that is too late. */
const CANCEL_REFUSED = new Set([400, 409, 422]);
const JOB_NOT_FOUND = new Set([404, 410]);

/** Returns whether the vendor does not know the job. */
export function isJobNotFound(error: unknown): boolean {
  return JOB_NOT_FOUND.has(statusOf(error));
}

/** Returns the answer to a cancel that the vendor refused. Throws errors that are no such refusal. */
export function refusedCancel(error: unknown): CancelAnswer {
  if (isJobNotFound(error)) return { kind: 'stopped' };
  if (CANCEL_REFUSED.has(statusOf(error))) return { kind: 'not_stopped' };
  throw error;
}

export function statusOf(error: unknown): number {
  return error instanceof ProviderError ? (error.status ?? 0) : 0;
}

/** Returns the status of a job whose result is larger than any answer that is read. Throws all other errors. */
export function tooLargeResult(error: unknown): VideoStatus {
  if (error instanceof ProviderError && error.cause instanceof OutboundResponseTooLargeError)
    return { state: 'failed', vendorStatus: 'result_too_large', publicMessage: FAILED_MESSAGE };
  throw error;
}

/** Returns the outputs at http(s) addresses. Everything else in the list is left out. */
export function outputsAt(addresses: readonly unknown[]): VideoOutput[] {
  return addresses
    .filter((address) => typeof address === 'string')
    .filter((address) => /^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    .map((location, index) => ({ index, location }));
}

/** Returns the body of a callback; undefined if it is malformed. */
export function readCallback<T>(schema: z.ZodType<T>, body: Buffer): T | undefined {
  try {
    return schema.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
