import type { ServerResponse } from 'node:http';
import { AppError } from '../../domain/errors.ts';

/** Of all requests of this process together. */
const MAX_BYTES = 512 * 1024 ** 2;

/** A body of that size weighs no more than its connection; small requests are let in however full it is. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Long enough for some answers to end. */
const RETRY_AFTER_SECONDS = 5;

/** Counts the bytes of bodies from their arrival to the end of their answers, so that they cannot fill the memory. */
export interface BodiesInFlight {
  /** For one request; what it takes is given back when its answer is out or its caller gone. */
  open(response: ServerResponse): BodyInFlight;
}

export interface BodyInFlight {
  /** Throws `unavailable` (503) when there is no room for so many bytes more. */
  take(bytes: number): void;
}

export function createBodiesInFlight(maxBytes = MAX_BYTES): BodiesInFlight {
  let taken = 0;
  return {
    open(response) {
      let own = 0;
      // Its end was told already, and nothing will be read.
      if (response.destroyed) return { take: () => {} };
      response.once('close', () => {
        taken -= own;
      });
      return {
        take(bytes) {
          if (taken + bytes > maxBytes) throw noRoom();
          taken += bytes;
          own += bytes;
        },
      };
    },
  };
}

/** The rest of the body is not read: the connection is closed rather than drained. */
function noRoom(): AppError {
  return new AppError('unavailable', {
    reason: 'too_many_bytes_in_flight',
    headers: { 'retry-after': `${RETRY_AFTER_SECONDS}`, connection: 'close' },
  });
}
