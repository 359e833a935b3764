/** Lists the states of a webhook delivery and the outcomes of its attempts. */

export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ATTEMPT_OUTCOMES = ['sending', 'delivered', 'failed', 'refused'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
