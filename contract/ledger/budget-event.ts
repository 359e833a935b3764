/** Defines and renders the webhook event about spending that reaches a threshold. */
import { z } from 'zod';
import type { BudgetAlert } from '../../domain/ledger/budget-alert.ts';
import { nanosToUsd } from '../../domain/money.ts';
import { LIMIT_RESETS, PAYER_KINDS } from '../../domain/ceiling.ts';
import { BUDGET_EVENT_TYPE } from '../../domain/webhooks/webhook-event.ts';
import { eventTimes, exampleTimes, type WebhookEventDefinition } from '../webhooks/webhook-event.ts';

const moment = z.iso.datetime().nullable();

/** The body of the event about spending that reached a threshold. */
const budgetWebhookEvent = z
  .object({
    type: z.literal(BUDGET_EVENT_TYPE),
    ...eventTimes,
    data: z.object({
      payer: z.enum(PAYER_KINDS).meta({
        description:
          'The owner of the limit: a key with its `limit`, a workspace with one of its budgets, or the organization with its credit.',
      }),
      payer_id: z.string().meta({
        description: 'The hash of the key, or the id of the workspace or organization.',
      }),
      workspace_id: z.uuid().nullable().meta({ description: 'Null if the payer is the organization.' }),
      threshold: z.int().meta({ description: 'The percentage of the limit that is reached.' }),
      limit_usd: z.number().meta({
        description: 'The limit; for credit, the balance right after the last credit was added.',
      }),
      spent_usd: z.number().meta({ description: 'The spending in the period. It may exceed the limit.' }),
      reset_interval: z.enum(LIMIT_RESETS).nullable().meta({ description: 'Null: the limit never resets.' }),
      period_start: moment.meta({
        description:
          'Null for a limit that never resets; for credit, the time at which the last credit was added.',
      }),
      period_end: moment.meta({ description: 'Null if no reset ends the period.' }),
    }),
  })
  .meta({ id: 'BudgetWebhookEvent' });

export type BudgetWebhookEvent = z.output<typeof budgetWebhookEvent>;

/** Renders the body that the outbox stores, validated by the schema. */
export function renderBudgetEvent(alert: BudgetAlert): { type: typeof BUDGET_EVENT_TYPE; payload: string } {
  const at = alert.at.toISOString();
  const event: BudgetWebhookEvent = {
    type: BUDGET_EVENT_TYPE,
    timestamp: at,
    created_at: at,
    data: {
      payer: alert.payer,
      payer_id: alert.shownId,
      workspace_id: alert.workspaceId,
      threshold: alert.threshold,
      limit_usd: nanosToUsd(alert.limit),
      spent_usd: nanosToUsd(alert.spent),
      reset_interval: alert.interval === 'lifetime' ? null : alert.interval,
      period_start: alert.startsAt?.toISOString() ?? null,
      period_end: alert.endsAt?.toISOString() ?? null,
    },
  };
  return { type: BUDGET_EVENT_TYPE, payload: JSON.stringify(budgetWebhookEvent.parse(event)) };
}

export const budgetThresholdReached: WebhookEventDefinition = {
  summary: 'Sent when spending reaches a threshold of a budget, a key limit or credit',
  description:
    'Only committed spending counts, not reserved amounts. The first request that a limit refuses in a period for want of money also reaches 100 %. Each threshold sends one event in each period. If spending reaches several thresholds at once, only the highest sends one. `budget_alert_thresholds` of the workspace sets them.',
  schema: budgetWebhookEvent,
  example: {
    type: BUDGET_EVENT_TYPE,
    ...exampleTimes,
    data: {
      payer: 'workspace',
      payer_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
      workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
      threshold: 80,
      limit_usd: 500,
      spent_usd: 401.27,
      reset_interval: 'monthly',
      period_start: '2026-01-01T00:00:00.000Z',
      period_end: '2026-02-01T00:00:00.000Z',
    },
  },
};
