/** Defines where an organization's people and groups come from, and how often they are read. */

export const SOURCE_TYPES = ['pushed', 'scim'] as const;
/** `pushed`: the identity provider calls Sluice. `scim`: Sluice reads a SCIM 2.0 server. */
export type SourceType = (typeof SOURCE_TYPES)[number];

export const DISABLE_KEYS = ['all', 'identified'] as const;
/** The keys of a leaver that are disabled: all of them, or only those whose `identity_subject` names the leaver. */
export type DisableKeys = (typeof DISABLE_KEYS)[number];

export const DEFAULT_INTERVAL_MINUTES = 60;
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 1_440;

/** The source of an organization's people and groups. */
export interface DirectorySource {
  organizationId: string;
  type: SourceType;
  /** Set for a pulled source only. */
  baseUrl: string | null;
  /** The last four characters of the token of a pulled source. */
  tokenHint: string | null;
  intervalMinutes: number;
  disableKeys: DisableKeys;
  /** The due time of the next scheduled run; null for pushed sources. */
  nextSyncAt: Date | null;
  /** The time of the last complete reading; null before the first. */
  fullSyncAt: Date | null;
  /** Null if the source was never configured; it is then `pushed`. */
  updatedAt: Date | null;
}

/** Returns the context that the encrypted token of a pulled source is bound to. */
export function sourceTokenContext(organizationId: string): string {
  return `scim_sources:${organizationId}`;
}
