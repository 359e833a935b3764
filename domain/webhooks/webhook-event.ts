/** Events about a video job, sent when it ends. */
export const VIDEO_EVENT_TYPES = [
  'video.generation.completed',
  'video.generation.failed',
  'video.generation.cancelled',
  'video.generation.expired',
] as const;

/** The type of the event for spending that reached a threshold of a budget, a key's limit or credit. */
export const BUDGET_EVENT_TYPE = 'budget.threshold_reached';

/** The types of events about the delivery to an observability destination. */
export const DESTINATION_EVENT_TYPES = [
  'observability.destination.paused',
  'observability.destination.disabled',
  'observability.destination.recovered',
] as const;

/** The type of the event about pushed removals that are held because there are too many. */
export const REMOVALS_HELD_EVENT_TYPE = 'directory.removals_held';

/** The type of the event about a model that expires soon. */
export const EXPIRING_EVENT_TYPE = 'model.expiring';

/** The types of events that are written to the outbox and delivered. Workspaces may select among them. */
export const DELIVERED_EVENT_TYPES = [
  ...VIDEO_EVENT_TYPES,
  BUDGET_EVENT_TYPE,
  ...DESTINATION_EVENT_TYPES,
  REMOVALS_HELD_EVENT_TYPE,
  EXPIRING_EVENT_TYPE,
] as const;
export type DeliveredEventType = (typeof DELIVERED_EVENT_TYPES)[number];

/**
 * The type of the test event that a caller sends to a callback URL. Sluice sends it at once, outside of the delivery
 * log.
 */
export const TEST_EVENT_TYPE = 'webhook.test';

export type WebhookEventType = DeliveredEventType | typeof TEST_EVENT_TYPE;

const DAY_MS = 86_400_000;

/** The time without a success after which a callback URL is reported as failing. */
export const CALLBACK_FAILING_AFTER_MS = 5 * DAY_MS;

/** The time for which an ended delivery without a job is kept. */
export const DELIVERY_RETENTION_MS = 90 * DAY_MS;
