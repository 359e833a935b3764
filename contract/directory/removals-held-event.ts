/** Defines and renders the webhook event about removals that the directory's guard holds. */
import { z } from 'zod';
import type { RemovalsHeld } from '../../domain/directory/removals-held.ts';
import { REMOVALS_HELD_EVENT_TYPE } from '../../domain/webhooks/webhook-event.ts';
import { eventTimes, exampleTimes, type WebhookEventDefinition } from '../webhooks/webhook-event.ts';

/** The body of the event about pushed removals that wait for an administrator. */
const removalsHeldWebhookEvent = z
  .object({
    type: z.literal(REMOVALS_HELD_EVENT_TYPE),
    ...eventTimes,
    data: z.object({
      organization_id: z.uuid(),
      people: z.int().min(1).meta({ description: 'The number of people with held removals.' }),
      held_since: z.iso.datetime(),
    }),
  })
  .meta({ id: 'RemovalsHeldWebhookEvent' });

type RemovalsHeldWebhookEvent = z.output<typeof removalsHeldWebhookEvent>;

/** Renders the body that the outbox stores, validated by the schema. */
export function renderRemovalsHeld({ organizationId, people, heldSince }: RemovalsHeld): {
  type: typeof REMOVALS_HELD_EVENT_TYPE;
  payload: string;
} {
  const at = heldSince.toISOString();
  const event: RemovalsHeldWebhookEvent = {
    type: REMOVALS_HELD_EVENT_TYPE,
    timestamp: at,
    created_at: at,
    data: { organization_id: organizationId, people, held_since: at },
  };
  return { type: REMOVALS_HELD_EVENT_TYPE, payload: JSON.stringify(removalsHeldWebhookEvent.parse(event)) };
}

export const removalsHeld: WebhookEventDefinition = {
  summary: 'Sent when pushed removals of a directory are held',
  description:
    'The identity provider removed more people within an hour than the guard allows. These people keep their access until `POST /scim/sync-jobs?allow_deletions=true` applies their removal.',
  schema: removalsHeldWebhookEvent,
  example: {
    type: REMOVALS_HELD_EVENT_TYPE,
    ...exampleTimes,
    data: {
      organization_id: '7d0c2a51-3f0b-4a86-9d3e-5a1f6c2b7e44',
      people: 1,
      held_since: exampleTimes.timestamp,
    },
  },
};
