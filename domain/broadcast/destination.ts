/** Defines observability destinations: their types, rules and delivery states. */
import type { Region } from '../catalog/catalog.ts';
import type { FilterRules } from './filter-rules.ts';

/** The tools that generations can be forwarded to. */
export const DESTINATION_TYPES = [
  'arize',
  'braintrust',
  'clickhouse',
  'datadog',
  'grafana',
  'langfuse',
  'langsmith',
  'newrelic',
  'opik',
  'otel-collector',
  'posthog',
  'ramp',
  's3',
  'sentry',
  'snowflake',
  'weave',
  'webhook',
] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

/** The most destinations of one type that a workspace may have, disabled ones included. */
export const MAX_DESTINATIONS_OF_TYPE = 5;

/**
 * The most destinations to which an organization sends at the same time: half of a worker's slots. Its other busy
 * destinations wait for their turn.
 */
export const MAX_PUMPS_OF_ORGANIZATION = 250;

/** The parts of a span that a destination receives only if its owner asks for them. */
export interface BroadcastFlags {
  /** The cost of the generation. */
  sendsCost: boolean;
  /** The cost of each kind of token. */
  sendsCostAllocation: boolean;
  /** User, external user, key name and hash, organization, workspace. */
  sendsIdentity: boolean;
  /** Referer, title, user agent, country. */
  sendsRequestContext: boolean;
}

/** Decides which generations a destination receives, and how much of each. */
export interface BroadcastRules {
  /** Hashes of the only keys whose generations are sent. Null: every key's. */
  apiKeyHashes: string[] | null;
  /** The data regions whose generations are sent. */
  regions: Region[];
  /** Null: no filter. */
  filterRules: FilterRules | null;
  /** The share of sessions or traces that is sent, 0.0001 to 1. */
  samplingRate: number;
  /** True: no prompts and answers are sent. */
  privacyMode: boolean;
  flags: BroadcastFlags;
}

/** The decisions of an owner about a destination. */
export interface DestinationSettings extends BroadcastRules {
  name: string | null;
  enabled: boolean;
}

/**
 * The present state of a destination's delivery.
 * - `idle`: no pump runs; the next generation starts one.
 * - `running`: a pump reads the log and sends.
 * - `backing_off`: the last attempt failed; the pump repeats it at `nextAttemptAt`.
 * - `needs_attention`: the tool refuses the configuration; the pump probes every five minutes.
 * - `disabled`: every attempt of a day failed; the pump ended, and starts again if a user enables the destination.
 */
export const DELIVERY_STATES = ['idle', 'running', 'backing_off', 'needs_attention', 'disabled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
