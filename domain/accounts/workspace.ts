import { UUID_PATTERN } from '../ids.ts';
import type { DeliveredEventType } from '../webhooks/webhook-event.ts';

/** What a workspace decides for the requests of its keys, and what may be changed about it. */
export interface WorkspaceSettings {
  name: string;
  slug: string;
  description: string | null;
  /** Receives the webhooks of jobs that name no receiver of their own, and events that are about no job. */
  defaultCallbackUrl: string | null;
  defaultTextModel: string | null;
  defaultImageModel: string | null;
  defaultProviderSort: ProviderSort | null;
  /** Null: every tool may be used. Never empty. */
  disabledServerTools: string[] | null;
  /** Numeric key ids. Null: every key is logged. */
  ioLoggingApiKeyIds: number[] | null;
  /** The share of requests that is logged, 0.0001 to 1. */
  ioLoggingSamplingRate: number;
  isDataDiscountLoggingEnabled: boolean;
  isObservabilityBroadcastEnabled: boolean;
  isObservabilityIoLoggingEnabled: boolean;
  /** The types of events that the default callback URL receives. Null: all. */
  webhookEventTypes: DeliveredEventType[] | null;
  /** At which percentages of a limit its receivers are told, in ascending order. Empty: at none. */
  budgetAlertThresholds: number[];
}

/** A workspace as its organization manages it (spec.md "Workspace"). */
export interface Workspace extends WorkspaceSettings {
  id: string;
  organizationId: string;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date | null;
  defaultGuardrailId: string;
  includeByokInBudgets: boolean;
  /** Whether it forwards its generations somewhere, to destinations that are enabled or not. */
  hasDestinations: boolean;
  /** Whether one of its destinations sends prompts and answers or filters by them, enabled or not. */
  wantsBroadcastContent: boolean;
  /** Since when one of its callback URLs has failed, once it is reported as failing (db/accounts/failing-callback-store.ts). */
  webhookFailingSince: Date | null;
}

export type WorkspaceChanges = Partial<WorkspaceSettings>;

/** What a new workspace shall be; the rest is as it is for all that say nothing about it. */
export type WorkspaceDraft = WorkspaceChanges & Pick<WorkspaceSettings, 'name' | 'slug'>;

/** How many thresholds a workspace may have. */
export const MAX_ALERT_THRESHOLDS = 10;

export const PROVIDER_SORTS = ['price', 'throughput', 'latency', 'exacto'] as const;
export type ProviderSort = (typeof PROVIDER_SORTS)[number];

/** Of an organization: that it has, and that it ever had, as those deleted stay in its analytics. */
export const MAX_WORKSPACES = 1_000;
export const MAX_WORKSPACES_EVER = 10_000;

export const WORKSPACE_SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Before its id, the slug of a deleted workspace. */
export const DELETED_SLUG_PREFIX = 'deleted-';

/** Whether a slug is one that deletion gives, which nobody else may take. */
export function isSlugOfDeleted(slug: string): boolean {
  return slug.startsWith(DELETED_SLUG_PREFIX) && UUID_PATTERN.test(slug.slice(DELETED_SLUG_PREFIX.length));
}

/** How a caller names a workspace of its organization. */
export type WorkspaceReference = { id: string } | { slug: string };

/** Null for text that can be neither an id nor a slug. */
export function parseWorkspaceReference(text: string): WorkspaceReference | null {
  if (UUID_PATTERN.test(text)) return { id: text };
  return WORKSPACE_SLUG_PATTERN.test(text) ? { slug: text } : null;
}
