/** The configuration of a preset: fields of a chat request, under their names there. */
export type PresetConfig = Readonly<Record<string, unknown>>;

/** The content of a new version. */
export interface PresetDraft {
  config: PresetConfig;
  systemPrompt: string | null;
}

export interface PresetVersion extends PresetDraft {
  id: string;
  presetId: string;
  /** Counts from 1. */
  version: number;
  /** The user id of the creating key; the key's hash if it has no user. */
  creatorId: string;
  createdAt: Date;
}

/**
 * The states of a preset. `disabled`: it can be edited, but not used. `archived`: neither; it keeps its slug, and an
 * update of the status restores it.
 */
export const PRESET_STATUSES = ['active', 'disabled', 'archived'] as const;
export type PresetStatus = (typeof PRESET_STATUSES)[number];

/** A named configuration of one workspace. */
export interface Preset {
  id: string;
  workspaceId: string;
  slug: string;
  name: string;
  description: string | null;
  status: PresetStatus;
  statusUpdatedAt: Date | null;
  designatedVersionId: string;
  creatorUserId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface PresetWithVersion extends Preset {
  designatedVersion: PresetVersion;
}

/** Changes to a preset. An absent field stays as it is. */
export interface PresetChanges {
  name?: string;
  description?: string | null;
  status?: Exclude<PresetStatus, 'archived'>;
  /** A version of the same preset. */
  designatedVersion?: { id: string } | { version: number };
}

/** Matches RFC 3986's unreserved characters, except `.` and `..`, which path resolution removes. */
export const PRESET_SLUG_PATTERN = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/;

/** The largest configuration and system prompt together, in bytes. Serving processes keep them in memory. */
export const MAX_PRESET_BYTES = 256 * 1024;

/** The most versions that a preset ever has. They are never deleted. */
export const MAX_PRESET_VERSIONS = 1_000;

/** The largest size of all versions of a workspace together, in bytes as `storedBytes` counts them. */
export const MAX_WORKSPACE_PRESET_BYTES = 50_000_000;

/** The least that a version counts, because each one also takes a row with its indexes. */
const MIN_VERSION_BYTES = 1_024;

/** Returns what a version counts against the storage of its workspace. `bytes` is the size of its content. */
export function storedBytes(bytes: number): number {
  return Math.max(bytes, MIN_VERSION_BYTES);
}
