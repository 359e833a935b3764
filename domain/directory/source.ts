export const SOURCE_TYPES = ['pushed', 'scim'] as const;
/** `pushed`: the identity provider calls us. `scim`: we read a SCIM 2.0 server. */
export type SourceType = (typeof SOURCE_TYPES)[number];

export const DISABLE_KEYS = ['all', 'identified'] as const;
/**
 * Which keys of a leaver are disabled: all that are theirs, or only those whose `identity_subject` names them.
 */
export type DisableKeys = (typeof DISABLE_KEYS)[number];

export const DEFAULT_INTERVAL_MINUTES = 60;
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 1_440;

/** Where an organization's people and groups come from. */
export interface DirectorySource {
  organizationId: string;
  type: SourceType;
  /** Set for a pulled source only. */
  baseUrl: string | null;
  /** The last four characters of the token of a pulled source. */
  tokenHint: string | null;
  intervalMinutes: number;
  disableKeys: DisableKeys;
  /** When the next scheduled run is due; null for what is pushed. */
  nextSyncAt: Date | null;
  /** When everything was last read; null before that. */
  fullSyncAt: Date | null;
  /** Null when nothing was ever set: the source is then what is pushed. */
  updatedAt: Date | null;
}

/** The place of the encrypted token of a pulled source, to which it is bound. */
export function sourceTokenContext(organizationId: string): string {
  return `scim_sources:${organizationId}`;
}
