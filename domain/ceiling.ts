import type { Nanos } from './money.ts';

export const LIMIT_RESETS = ['daily', 'weekly', 'monthly'] as const;
export type LimitReset = (typeof LIMIT_RESETS)[number];

export const LIMIT_INTERVALS = [...LIMIT_RESETS, 'lifetime'] as const;
/** The period that a ceiling counts: since the last reset, or all there ever was. */
export type LimitInterval = (typeof LIMIT_INTERVALS)[number];

/** Names who spends: the amounts of each are counted apart. */
export type PayerKind = 'key' | 'organization' | 'workspace';

/** Something that spending must keep within. */
export interface Ceiling {
  payer: PayerKind;
  interval: LimitInterval;
  /** `credit`: what was bought, which the counters know. */
  limit: Nanos | 'credit';
  includeByok: boolean;
  /** The percentages of the limit that alerts tell of. Absent: none. */
  alertThresholds?: readonly number[];
}

/** BYOK usage is the customer's own bill; the fee that credits pay is usage. */
export const CREDIT_CEILING = {
  payer: 'organization',
  interval: 'lifetime',
  limit: 'credit',
  includeByok: false,
} as const satisfies Ceiling;
