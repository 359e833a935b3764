/** Defines the filters and positions of lists of generations. */
import type { ApiType, GenerationStatus } from '../ledger/generation.ts';
import type { Nanos } from '../money.ts';

/** The generations that a list has; an absent or undefined property filters nothing. */
export interface GenerationFilter {
  workspaceId?: string | undefined;
  keyId?: number | undefined;
  /** Canonical slug. */
  model?: string | undefined;
  /** Provider slug. */
  provider?: string | undefined;
  apiType?: ApiType | undefined;
  status?: GenerationStatus | undefined;
  userId?: string | undefined;
  externalUser?: string | undefined;
  sessionId?: string | undefined;
  minCost?: Nanos | undefined;
  maxCost?: Nanos | undefined;
}

/**
 * A position in a list of generations, the newest first: behind the generation with this time and id, or behind all
 * generations of a later time if the id is of none.
 */
export interface GenerationPosition {
  createdAt: Date;
  id: string;
}

/** Sorts before the rest of all ids of the same time. */
const NO_ID = '0';

/** Returns the position behind all generations that were created at this moment or later. */
export function positionBefore(moment: Date): GenerationPosition {
  return { createdAt: moment, id: `gen-${moment.getTime()}-${NO_ID}` };
}

/** Returns the position that a cursor names: the id of a generation, or an id of none. */
export function positionOf(cursor: string): GenerationPosition {
  return { createdAt: new Date(Number(cursor.split('-')[1])), id: cursor };
}
