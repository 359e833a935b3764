/** Defines workspaces, their settings and limits, and the forms of their slugs. */
import { UUID_PATTERN } from '../ids.ts';
import type { DeliveredEventType } from '../webhooks/webhook-event.ts';

/** The settings of a workspace that apply to the requests of its keys and can be changed. */
export interface WorkspaceSettings {
  name: string;
  slug: string;
  description: string | null;
  /** Receives webhooks of jobs without a callback URL of their own, and events that belong to no job. */
  defaultCallbackUrl: string | null;
  defaultTextModel: string | null;
  defaultImageModel: string | null;
  defaultProviderSort: ProviderSort | null;
  /** Null: every tool may be used. The list is never empty. */
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
  /** Percentages of a limit at which a budget event is sent, in ascending order. Empty: no events. */
  budgetAlertThresholds: number[];
}

/** A workspace as its organization manages it. */
export interface Workspace extends WorkspaceSettings {
  id: string;
  organizationId: string;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date | null;
  defaultGuardrailId: string;
  includeByokInBudgets: boolean;
  /** True if the workspace has broadcast destinations, enabled or disabled. */
  hasDestinations: boolean;
  /** True if a destination, enabled or disabled, sends prompts and answers or filters by them. */
  needsBroadcastContent: boolean;
  /**
   * The start of the failures of a callback URL that is reported as failing; see db/webhooks/failing-callback-store.ts.
   */
  webhookFailingSince: Date | null;
}

export type WorkspaceChanges = Partial<WorkspaceSettings>;

/** The attributes of a workspace to be created. Absent settings get their defaults. */
export type WorkspaceDraft = WorkspaceChanges & Pick<WorkspaceSettings, 'name' | 'slug'>;

/** The most alert thresholds that a workspace may have. */
export const MAX_ALERT_THRESHOLDS = 10;

export const PROVIDER_SORTS = ['price', 'throughput', 'latency', 'exacto'] as const;
export type ProviderSort = (typeof PROVIDER_SORTS)[number];

/**
 * The most workspaces of an organization at a time. `MAX_WORKSPACES_EVER` includes deleted ones, which stay in
 * analytics.
 */
export const MAX_WORKSPACES = 1_000;
export const MAX_WORKSPACES_EVER = 10_000;

export const WORKSPACE_SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Precedes the workspace's id in the slug of a deleted workspace. */
export const DELETED_SLUG_PREFIX = 'deleted-';

/** Returns whether a slug has the form that only deleted workspaces may have. */
export function isSlugOfDeleted(slug: string): boolean {
  return slug.startsWith(DELETED_SLUG_PREFIX) && UUID_PATTERN.test(slug.slice(DELETED_SLUG_PREFIX.length));
}

/** Identifies a workspace of the caller's organization. */
export type WorkspaceReference = { id: string } | { slug: string };

/** Returns null for text that can be neither an id nor a slug. */
export function parseWorkspaceReference(text: string): WorkspaceReference | null {
  if (UUID_PATTERN.test(text)) return { id: text };
  return WORKSPACE_SLUG_PATTERN.test(text) ? { slug: text } : null;
}
