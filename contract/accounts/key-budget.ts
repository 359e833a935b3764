/** Describes one spending limit in the answer of `GET /key`. */
import { z } from 'zod';
import { LIMIT_RESETS } from '../../domain/ceiling.ts';

/** A limit on the spending of a key's requests. Clients of this API shape require every field. */
export const keyBudget = z
  .object({
    scope: z
      .enum(['key_limit', 'workspace'])
      .meta({ description: 'The key’s own limit, or a budget of its workspace.' }),
    budget_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The id of the budget; null for the key’s own limit.' }),
    guardrail_id: z.string().nullable().meta({ description: 'Always null: there are no guardrails.' }),
    limit_usd: z.number(),
    spend_usd: z.number().meta({
      description: 'The spending in the current period, including the possible cost of open jobs.',
    }),
    remaining_usd: z.number().meta({ description: 'Negative if the budget is exceeded.' }),
    include_byok: z.boolean().meta({ description: 'True if BYOK usage counts.' }),
    reset_interval: z.enum(LIMIT_RESETS).nullable().meta({ description: 'Null: the budget never resets.' }),
    resets_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'KeyBudget' });

export type KeyBudgetRecord = z.output<typeof keyBudget>;
