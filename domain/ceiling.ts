/** Defines spending limits of keys, workspaces and organizations, and the periods that they cover. */
import type { Nanos } from './money.ts';

export const LIMIT_RESETS = ['daily', 'weekly', 'monthly'] as const;
export type LimitReset = (typeof LIMIT_RESETS)[number];

export const LIMIT_INTERVALS = [...LIMIT_RESETS, 'lifetime'] as const;
/** The period that a ceiling covers: since the last reset, or the whole lifetime. */
export type LimitInterval = (typeof LIMIT_INTERVALS)[number];

export const PAYER_KINDS = ['key', 'workspace', 'organization'] as const;
/** The kinds of payers. Each payer's spending is counted separately. */
export type PayerKind = (typeof PAYER_KINDS)[number];

/** A limit on spending. */
export interface Ceiling {
  payer: PayerKind;
  interval: LimitInterval;
  /** `credit`: the credit that was bought, which the counters hold. */
  limit: Nanos | 'credit';
  includeByok: boolean;
  /** Percentages of the limit at which alerts are sent. Absent: none. */
  alertThresholds?: readonly number[];
}

/** The ceiling of an organization's credit. BYOK usage does not count, since the vendor bills it to the customer. */
export const CREDIT_CEILING = {
  payer: 'organization',
  interval: 'lifetime',
  limit: 'credit',
  includeByok: false,
} as const satisfies Ceiling;
