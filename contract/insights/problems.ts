/** Declares the operation that lists what is wrong in an organization now, and the shapes of problems. */
import { z } from 'zod';
import { LIMIT_INTERVALS, PAYER_KINDS } from '../../domain/ceiling.ts';
import { answerWith } from '../answers.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'management', tag: 'Organization' } as const;

const time = z.iso.datetime();
const KINDS = ['limits', 'destinations', 'webhooks', 'jobs', 'circuits'] as const;

const limit = z.object({
  payer: z.enum(PAYER_KINDS).meta({ description: '`organization` stands for its credit.' }),
  payer_id: z.string().meta({ description: 'The hash of a key, or the id of a workspace or organization.' }),
  name: z.string().nullable().meta({ description: 'The name of the key or workspace.' }),
  workspace_id: z.uuid().nullable(),
  reset_interval: z.enum(LIMIT_INTERVALS),
  limit_usd: z.number(),
  spent_usd: z.number(),
  period_end: time.nullable().meta({ description: 'Null: the limit does not reset.' }),
});

const destination = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  name: z.string().nullable(),
  type: z.string(),
  state: z.enum(['backing_off', 'needs_attention', 'disabled']).meta({
    description:
      '`backing_off`: the last attempts failed. `needs_attention`: the tool refuses the configuration. `disabled`: Sluice disabled it after a day of failures.',
  }),
  reason: z.string().nullable(),
  failing_since: time.nullable(),
});

const webhook = z.object({
  workspace_id: z.uuid(),
  workspace_name: z.string(),
  url: z.string(),
  failing_since: time.meta({ description: 'The first failure since the last success.' }),
  last_failed_at: time,
});

const job = z.object({
  id: z.string(),
  workspace_id: z.uuid(),
  model: z.string(),
  provider_name: z.string(),
  state: z.enum(['unconfirmed', 'accepted', 'orphaned']).meta({
    description:
      '`unconfirmed`: it is unknown whether the provider accepted the job. `accepted`, `orphaned`: the provider accepted it, and may still work on it after its end here.',
  }),
  sent_at: time.meta({ description: 'The time of the submission.' }),
});

const circuit = z.object({
  endpoint_id: z.string(),
  model: z.string(),
  provider_name: z.string(),
  is_own: z.boolean().meta({ description: 'True: a private endpoint, or one with your own key.' }),
  opened_at: time.meta({ description: 'The time since which requests skip the endpoint.' }),
  open_until: time.meta({ description: 'The time of the next call that tries it again.' }),
});

const problems = z
  .object({
    limits: z.array(limit).meta({
      description:
        'Limits and budgets of which at least 80 % is spent, if an alert threshold of 80 % or more was reached.',
    }),
    destinations: z.array(destination).meta({ description: 'Destinations that take no generations.' }),
    webhooks: z
      .array(webhook)
      .meta({ description: 'Callback URLs that have failed for more than five minutes without a success.' }),
    jobs: z.array(job).meta({ description: 'Video jobs whose state at the provider is not known.' }),
    circuits: z.array(circuit).meta({
      description:
        'Endpoints that requests skip because too many of their calls failed: those of the catalog, your private ones, and those with your own keys.',
    }),
    has_more: z
      .array(z.enum(KINDS))
      .meta({ description: 'The lists with more than the 20 entries that are shown.' }),
  })
  .meta({ id: 'Problems' });

export type ProblemsBody = z.output<typeof problems>;

export const problemOperations = defineOperations(common, {
  listProblems: {
    route: 'GET /organization/problems',
    summary: 'List what is wrong now',
    description:
      'Lists present problems of the organization: limits near their end, failing destinations and webhooks, unconfirmed video jobs, and endpoints that requests skip. There is no history: what works again is gone. Up to 20 of each kind.',
    responses: {
      200: {
        description: 'The problems of each kind; empty lists if nothing is wrong.',
        ...answerWith('ProblemsAnswer', problems, {
          limits: [],
          destinations: [],
          webhooks: [
            {
              workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
              workspace_name: 'Shop',
              url: 'https://app.example.com/hooks/videos',
              failing_since: '2026-01-01T00:01:30.000Z',
              last_failed_at: '2026-01-01T00:36:30.000Z',
            },
          ],
          jobs: [],
          circuits: [],
          has_more: [],
        }),
      },
    },
  },
});
