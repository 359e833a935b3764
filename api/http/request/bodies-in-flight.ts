import type { ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';

/** The part of that memory which one organization may hold. */
const ORGANIZATION_SHARE = 1 / 4;

/** The part of that memory which all callers without a key may hold together. */
const STRANGERS_SHARE = 1 / 16;

/** A body of this size is never refused for lack of memory: it takes no more than its connection does. */
const SMALL_BODY_BYTES = 64 * 1024;

/** A chunk takes about this much memory however few bytes it has. */
const MIN_CHUNK_BYTES = 512;

/** Some answers end within this time. */
const RETRY_AFTER_SECONDS = 5;

/** Counts the memory that request bodies take, from their first bytes to the end of their answers. */
export interface BodiesInFlight {
  /**
   * Opens the account of one request. `organizationId` is undefined for a caller without a key. The memory is given
   * back when the answer is out or the caller gone.
   */
  open(response: ServerResponse, organizationId: string | undefined): BodyInFlight;
}

export interface BodyInFlight {
  /**
   * Charges for a chunk that has arrived. Throws `rate_limited` (429) when the organization holds its share already,
   * and `unavailable` (503) when all bodies, or those of callers without a key, have no room left.
   */
  take(chunkBytes: number): void;
}

export interface BodyRoom {
  /** The memory that the bodies of all requests in this process may take together. */
  maxBytes: number;
  /** The largest body of a caller with a key. It fits, however small the process's part of the memory is. */
  largestBytes?: number;
  /** The largest body of a caller without a key, which always fits too. */
  largestOfStrangersBytes?: number;
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
          // A response that is closed never says so again: what is charged to it would stay charged.
          if (weight <= SMALL_BODY_BYTES || weight <= charged || response.destroyed) return;
          room.take(organizationId, weight - charged);
          if (charged === 0) response.once('close', () => room.giveBack(organizationId, charged));
          charged = weight;
        },
      };
    },
  };
}

function createRoom({ maxBytes, largestBytes = 0, largestOfStrangersBytes = 0 }: BodyRoom) {
  const allBytes = Math.max(maxBytes, largestBytes, largestOfStrangersBytes);
  const organizationBytes = Math.max(ORGANIZATION_SHARE * maxBytes, largestBytes);
  const strangersBytes = Math.max(STRANGERS_SHARE * maxBytes, largestOfStrangersBytes);
  let held = 0;
  const heldBy = new Map<string | undefined, number>();
  return {
    take(organizationId: string | undefined, bytes: number): void {
      const own = (heldBy.get(organizationId) ?? 0) + bytes;
      if (organizationId === undefined && own > strangersBytes) throw noRoom();
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
