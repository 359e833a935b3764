/** Defines and renders the webhook events about observability destinations that fail. */
import { z } from 'zod';
import type { DestinationEvent } from '../../domain/broadcast/destination-event.ts';
import { DESTINATION_TYPES, type DestinationType } from '../../domain/broadcast/destination.ts';
import { DESTINATION_EVENT_TYPES } from '../../domain/webhooks/webhook-event.ts';
import { eventTimes, exampleTimes, type WebhookEventDefinition } from '../webhooks/webhook-event.ts';

type EventType = (typeof DESTINATION_EVENT_TYPES)[number];

/** The body of events about an observability destination. */
const destinationWebhookEvent = z
  .object({
    type: z.enum(DESTINATION_EVENT_TYPES),
    ...eventTimes,
    data: z.object({
      id: z.uuid().meta({ description: 'The id of the destination.' }),
      name: z.string().nullable(),
      destination_type: z.enum(DESTINATION_TYPES),
      workspace_id: z.uuid(),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'The reason in words. Null: the destination recovered.' }),
      failing_since: z.iso.datetime().meta({ description: 'The time at which the failures began.' }),
    }),
  })
  .meta({ id: 'DestinationWebhookEvent' });

type DestinationWebhookEvent = z.output<typeof destinationWebhookEvent>;

/** Renders the body that the outbox stores, validated by the schema. */
export function renderDestinationEvent(
  { kind, destinationId, workspaceId, reason, since }: DestinationEvent,
  destination: { name: string | null; type: DestinationType },
  at: Date,
): { type: EventType; payload: string } {
  const type: EventType = `observability.destination.${kind}`;
  const event: DestinationWebhookEvent = {
    type,
    timestamp: at.toISOString(),
    created_at: at.toISOString(),
    data: {
      id: destinationId,
      name: destination.name,
      destination_type: destination.type,
      workspace_id: workspaceId,
      reason,
      failing_since: since.toISOString(),
    },
  };
  return { type, payload: JSON.stringify(destinationWebhookEvent.parse(event)) };
}

function definition(
  kind: DestinationEvent['kind'],
  { summary, description, reason }: { summary: string; description: string; reason: string | null },
): WebhookEventDefinition {
  return {
    summary,
    description,
    schema: destinationWebhookEvent,
    example: {
      type: `observability.destination.${kind}`,
      ...exampleTimes,
      data: {
        id: '5b6a7c1e-2f7a-4f0e-9a51-0d7f3c9b8e21',
        name: 'Our collector',
        destination_type: 'otel-collector',
        workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
        reason,
        failing_since: '2026-01-01T00:00:12.000Z',
      },
    },
  };
}

/** The events about an observability destination. */
export const destinationEvents: Record<EventType, WebhookEventDefinition> = {
  'observability.destination.paused': definition('paused', {
    summary: 'Sent when an observability destination needs attention',
    description:
      'The tool refuses the configuration, for example the API key. Sluice keeps the generations for 72 hours and tries the oldest ones again every five minutes.',
    reason: 'The tool answered 401.',
  }),
  'observability.destination.disabled': definition('disabled', {
    summary: 'Sent when an observability destination is disabled',
    description:
      'Every attempt of the last 24 hours failed. Set `enabled` to true once the tool works again.',
    reason: 'Every attempt of the last 24 hours failed. The last reason was: The tool answered 503.',
  }),
  'observability.destination.recovered': definition('recovered', {
    summary: 'Sent when an observability destination that needed attention works again',
    description: 'Sluice now sends the generations that waited.',
    reason: null,
  }),
};
