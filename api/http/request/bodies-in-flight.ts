/** Refuses request bodies when the bodies in flight would use too much memory. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';

/** The part of the memory for bodies that one organization may use. */
const ORGANIZATION_SHARE = 1 / 4;

/** The part of the memory for bodies that all callers without a key may use together. */
const KEYLESS_SHARE = 1 / 16;

/** The size up to which a body is not counted: it takes no more memory than its connection does. */
const SMALL_BODY_BYTES = 64 * 1024;

/** The least memory that a chunk takes, even if it has few bytes. */
const MIN_CHUNK_BYTES = 512;

/** The `Retry-After` of a refused body. Some answers end within this time and free memory. */
const RETRY_AFTER_SECONDS = 5;

/** Limits the memory that request bodies use, from their first bytes to the end of their answers. */
export interface BodiesInFlight {
  /**
   * Opens the account of one request. `organizationId` is undefined for a caller without a key. The memory is freed
   * when the answer has been sent or the caller has disconnected.
   */
  open(response: ServerResponse, organizationId: string | undefined): BodyInFlight;
}

export interface BodyInFlight {
  /**
   * Counts a chunk that has arrived. Throws `rate_limited` (429) when it exceeds the organization's share. Throws
   * `unavailable` (503) when it exceeds the limit of all bodies, or the share of callers without a key.
   */
  take(chunkBytes: number): void;
}

export interface BodyRoom {
  /** The memory that all request bodies of this process may use together. */
  maxBytes: number;
  /** The largest body of a caller with a key. One such body always fits, even if `maxBytes` is smaller. */
  largestBytes?: number;
  /** The largest body of a caller without a key. One such body always fits too. */
  largestKeylessBytes?: number;
}

export function createBodiesInFlight(options: BodyRoom): BodiesInFlight {
  const room = createRoom(options);
  return {
    open(response, organizationId) {
      let bytes = 0;
      let chunks = 0;
      let charged = 0;
      return {
        take(chunkBytes) {
          bytes += chunkBytes;
          chunks += 1;
          const weight = Math.max(bytes, chunks * MIN_CHUNK_BYTES);
          // A closed response emits no further `close` event, so its memory would never be freed.
          if (weight <= SMALL_BODY_BYTES || weight <= charged || response.destroyed) return;
          room.take(organizationId, weight - charged);
          if (charged === 0) response.once('close', () => room.giveBack(organizationId, charged));
          charged = weight;
        },
      };
    },
  };
}

function createRoom({ maxBytes, largestBytes = 0, largestKeylessBytes = 0 }: BodyRoom) {
  const allBytes = Math.max(maxBytes, largestBytes, largestKeylessBytes);
  const organizationBytes = Math.max(ORGANIZATION_SHARE * maxBytes, largestBytes);
  const keylessBytes = Math.max(KEYLESS_SHARE * maxBytes, largestKeylessBytes);
  let held = 0;
  const heldBy = new Map<string | undefined, number>();
  return {
    take(organizationId: string | undefined, bytes: number): void {
      const own = (heldBy.get(organizationId) ?? 0) + bytes;
      if (organizationId === undefined && own > keylessBytes) throw noRoom();
      if (organizationId !== undefined && own > organizationBytes) throw overShare();
      if (held + bytes > allBytes) throw noRoom();
      held += bytes;
      heldBy.set(organizationId, own);
    },
    giveBack(organizationId: string | undefined, bytes: number): void {
      held -= bytes;
      const own = heldBy.get(organizationId)! - bytes;
      if (own === 0) heldBy.delete(organizationId);
      else heldBy.set(organizationId, own);
    },
  };
}

/** The connection is closed, because the rest of the body is not read. */
const REFUSED = { retryAfterSeconds: RETRY_AFTER_SECONDS, headers: { connection: 'close' } };

function overShare(): AppError {
  return new AppError('rate_limited', { reason: 'too_many_bytes_of_organization', ...REFUSED });
}

function noRoom(): AppError {
  return new AppError('unavailable', { reason: 'too_many_bytes_in_flight', ...REFUSED });
}
