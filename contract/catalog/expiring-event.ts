/** Defines and renders the webhook event about a model that expires soon. */
import { z } from 'zod';
import type { ExpiryWarning } from '../../domain/catalog/expiring-model.ts';
import { EXPIRING_EVENT_TYPE } from '../../domain/webhooks/webhook-event.ts';
import { eventTimes, exampleTimes, type WebhookEventDefinition } from '../webhooks/webhook-event.ts';

/** The body of the event about a model that expires soon. */
const expiringWebhookEvent = z
  .object({
    type: z.literal(EXPIRING_EVENT_TYPE),
    ...eventTimes,
    data: z.object({
      model: z.string().meta({ description: 'The id of the model.' }),
      canonical_slug: z.string().meta({ description: 'The name of the model in usage and rankings.' }),
      workspace_id: z.uuid().meta({ description: 'The workspace that used the model in the last week.' }),
      expiration_date: z.iso.date().meta({ description: 'The last day, in UTC.' }),
      sunset_at: z.iso.datetime().meta({ description: 'The end of that day, as in the header `Sunset`.' }),
      days_left: z.int().min(1).meta({ description: 'The number of days that are left, today included.' }),
    }),
  })
  .meta({ id: 'ModelExpiringWebhookEvent' });

type ExpiringWebhookEvent = z.output<typeof expiringWebhookEvent>;

/** Renders the body that the outbox stores, validated by the schema. */
export function renderExpiry(
  { id, canonicalSlug, expirationDate, sunsetAt, daysLeft }: ExpiryWarning,
  workspaceId: string,
  at: Date,
): { type: typeof EXPIRING_EVENT_TYPE; payload: string } {
  const event: ExpiringWebhookEvent = {
    type: EXPIRING_EVENT_TYPE,
    timestamp: at.toISOString(),
    created_at: at.toISOString(),
    data: {
      model: id,
      canonical_slug: canonicalSlug,
      workspace_id: workspaceId,
      expiration_date: expirationDate,
      sunset_at: sunsetAt.toISOString(),
      days_left: daysLeft,
    },
  };
  return { type: EXPIRING_EVENT_TYPE, payload: JSON.stringify(expiringWebhookEvent.parse(event)) };
}

export const modelExpiring: WebhookEventDefinition = {
  summary: 'Sent when a model that the workspace used in the last week expires soon',
  description:
    'The event is sent when 30 days are left and when 7 days are left, once each for a workspace, a model and a date.',
  schema: expiringWebhookEvent,
  example: {
    type: EXPIRING_EVENT_TYPE,
    ...exampleTimes,
    data: {
      model: 'openai/gpt-5.1',
      canonical_slug: 'openai/gpt-5.1-2025-11-13',
      workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
      expiration_date: '2026-01-30',
      sunset_at: '2026-01-31T00:00:00.000Z',
      days_left: 30,
    },
  },
};
