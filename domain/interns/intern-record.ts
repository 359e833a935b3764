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

/** How far the host is with what it does. */
export interface InternProgress {
  stepLabel: string;
  stepNumber: number;
  totalSteps: number;
}

/** The state of an intern, as the platform that hosts it reports it. */
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
  /** Any model's name, which is not looked up. */
  model: string | null;
  /** Names the vault that was made with the intern. */
  vaultId: string;
  /** Names the vault of another intern, which may be gone by now. */
  attachedVaultId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface InternDraft {
  name: string;
  description: string | null;
  instructions: string | null;
  /** The vault of another intern, to be borrowed. */
  attachedVaultId: string | null;
  /** The workspace that the caller expects; absent: the one of the caller's key. */
  workspaceId?: string;
}

/** Absent fields stay as they are. */
export interface InternChanges {
  name?: string;
  description?: string | null;
  instructions?: string | null;
  model?: string | null;
}

/** The name of a model with its author, and its variant if any: `author/slug:variant`. */
export const INTERN_MODEL_PATTERN = /^[\w.~@-]+\/[\w.~@-]+(?::[\w.~@-]+)?$/;

/** The largest number of interns that one page lists. */
export const MAX_INTERN_PAGE = 500;
