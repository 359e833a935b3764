/** Defines what each webhook event declares and which times all events carry. */
import { z } from 'zod';
import type { WebhookEventType } from '../../domain/webhooks/webhook-event.ts';

/** A type of event, as documented. */
export interface WebhookEventDefinition {
  /** Names the occasion of the event in a few words. */
  summary: string;
  description: string;
  /** The body that is sent: `type`, `timestamp`, `created_at` and `data`. */
  schema: z.ZodType<{ type: WebhookEventType }>;
  example: unknown;
}

/** The times in the body of every event. */
export const eventTimes = {
  timestamp: z.iso.datetime().meta({ description: 'The time of the event.' }),
  created_at: z.iso.datetime().meta({ description: 'Equals `timestamp`.' }),
};

const AT = '2026-01-01T00:01:30.000Z';
export const exampleTimes = { timestamp: AT, created_at: AT };
