/** Defines API keys as organizations manage them: their fields, drafts and changes. */
import type { Nanos } from '../money.ts';
import type { SpendingTerms, UsageByPeriod } from '../ledger/spending-limit.ts';
import type { LimitReset } from '../ceiling.ts';

/** A regular key, or a key of an intern, as its organization manages it. */
export interface ManagedKey {
  /** The numeric id that analytics and counters use. Later keys have greater ids. */
  id: number;
  hash: string;
  name: string;
  label: string;
  organizationId: string;
  workspaceId: string;
  disabled: boolean;
  limitNanos: Nanos | null;
  limitReset: LimitReset | null;
  includeByokInLimit: boolean;
  creatorUserId: string | null;
  /** The end user of requests that name none. */
  externalUser: string | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
  updatedAt: Date | null;
}

/** A key with its usage and the rest of its limit. */
export interface KeyWithUsage extends ManagedKey, UsageByPeriod {
  /** Null without a limit. */
  limitRemainingNanos: Nanos | null;
}

/** The attributes of a key to be created. */
export interface KeyDraft {
  name: string;
  limit: SpendingTerms['key'];
  expiresAt?: Date | undefined;
  /** Absent: the default workspace of the organization. */
  workspaceId?: string | undefined;
  /** Names the intern of this workspace to which the key is confined; absent for a regular key. */
  internId?: string | undefined;
  creatorUserId?: string | undefined;
  /** The subject of the key's owner at the organization's identity provider. */
  identitySubject?: string | undefined;
  externalUser?: string | undefined;
  /** Replaces the rate limit of the deployment. */
  rateLimitRequests?: number | undefined;
  /** A token that the customer brings, in place of a new one. */
  customerToken?: string | undefined;
}

/** Changes to a key. An absent field stays as it is. */
export interface KeyChanges {
  name?: string;
  disabled?: boolean;
  limitNanos?: Nanos | null;
  limitReset?: LimitReset | null;
  includeByokInLimit?: boolean;
  workspaceId?: string;
}

export const KEY_HASH_PATTERN = /^[0-9a-f]{64}$/;
