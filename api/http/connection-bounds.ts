/** Computes how many connections a process accepts, so that descriptors remain for its own connections. */
import { descriptorLimit } from '../../platform/descriptor-limit.ts';
import type { Logger } from '../../platform/logger.ts';

export interface ConnectionBounds {
  /** The most connections in all. */
  all: number;
  /** The most connections of one address. */
  ofAddress: number;
}

/** Descriptors for Temporal, the ledger, notices, metrics, logs, the spool and the object store. */
const OWN_DESCRIPTORS = 96;

/** The most connections of a process. Beyond that, memory runs out before descriptors do. */
const MAX_CONNECTIONS = 16_384;

const ADDRESS_SHARE = 1 / 4;

/** Returns the bounds of this process, and logs them with the limit of descriptors that they follow from. */
export function boundsOfProcess(poolConnections: number, logger: Pick<Logger, 'info'>): ConnectionBounds {
  const descriptors = descriptorLimit();
  const bounds = boundsBelow(descriptors, poolConnections);
  logger.info({ descriptors, ...bounds }, 'connections of callers are bounded');
  return bounds;
}

/**
 * Returns the bounds for a limit of descriptors. Each request in flight needs two descriptors, its caller's and its
 * upstream's, so connections take half of what Postgres and the process itself leave.
 */
function boundsBelow(descriptors: number, poolConnections: number): ConnectionBounds {
  const left = descriptors - OWN_DESCRIPTORS - poolConnections;
  const all = Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor(left / 2)));
  return { all, ofAddress: Math.ceil(all * ADDRESS_SHARE) };
}
