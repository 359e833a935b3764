/** Defines interns, which are agents on hosts of their owners: their states, drafts and changes. */

export const INTERN_STATUSES = [
  'awaiting_slack_install',
  'queued',
  'provisioning',
  'running',
  'failed',
  'stopped',
  'destroying',
  'destroy_failed',
] as const;
export type InternStatus = (typeof INTERN_STATUSES)[number];

/** The progress of the host's current work. */
export interface InternProgress {
  stepLabel: string;
  stepNumber: number;
  totalSteps: number;
}

/** The state of an intern, as reported by the platform that hosts it. */
export interface InternState {
  status: InternStatus;
  progress: InternProgress | null;
  hostname: string | null;
  lastFailureMessage: string | null;
}

/** An agent that runs on a host of its owner. */
export interface Intern extends InternState {
  id: string;
  organizationId: string;
  workspaceId: string;
  name: string;
  description: string | null;
  instructions: string | null;
  /** The name of a model; it is not checked against the catalog. */
  model: string | null;
  /** The vault that was created with the intern. */
  vaultId: string;
  /** The attached vault of another intern, which may have been deleted. */
  attachedVaultId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface InternDraft {
  name: string;
  description: string | null;
  instructions: string | null;
  /** The vault of another intern to attach. */
  attachedVaultId: string | null;
  /** The workspace that the caller expects; absent: the workspace of the caller's key. */
  workspaceId?: string;
}

/** Changes to an intern. An absent field stays as it is. */
export interface InternChanges {
  name?: string;
  description?: string | null;
  instructions?: string | null;
  model?: string | null;
}

/** Matches a model's name with its author, and its variant if any: `author/slug:variant`. */
export const INTERN_MODEL_PATTERN = /^[\w.~@-]+\/[\w.~@-]+(?::[\w.~@-]+)?$/;

/** The most interns on one page. */
export const MAX_INTERN_PAGE = 500;
