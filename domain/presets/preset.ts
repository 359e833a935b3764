/** What a preset brings to a request that names it: fields of a chat request, by their names there. */
export type PresetConfig = Readonly<Record<string, unknown>>;

/** What a new version is made of. */
export interface PresetDraft {
  config: PresetConfig;
  systemPrompt: string | null;
}

export interface PresetVersion extends PresetDraft {
  id: string;
  presetId: string;
  /** Counts from 1. */
  version: number;
  /** The user whose key made it; the key's hash where a key has no user. */
  creatorId: string;
  createdAt: Date;
}

/**
 * `disabled`: kept and edited, but of no use to requests. `archived`: neither used nor edited; it keeps its slug,
 * and an update of the status brings it back.
 */
export const PRESET_STATUSES = ['active', 'disabled', 'archived'] as const;
export type PresetStatus = (typeof PRESET_STATUSES)[number];

/** A named configuration of one workspace (spec.md "Preset"). */
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

/** What is absent stays as it is. */
export interface PresetChanges {
  name?: string;
  description?: string | null;
  status?: Exclude<PresetStatus, 'archived'>;
  /** One of the preset's own versions. */
  designatedVersion?: { id: string } | { version: number };
}

/** RFC 3986's unreserved characters, as a path may hold them; not `.` and `..`, which paths resolve. */
export const PRESET_SLUG_PATTERN = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/;

/** Of configuration and system prompt together: requests keep them in memory. */
export const MAX_PRESET_BYTES = 256 * 1024;
