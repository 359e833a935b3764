/** Lists the states of a webhook delivery and the outcomes of its attempts, and limits replays. */

export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ATTEMPT_OUTCOMES = ['sending', 'delivered', 'failed', 'refused'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The most deliveries that one request sends again. The sweep starts them at some 800 a minute. */
export const MAX_REPLAYED = 1_000;
