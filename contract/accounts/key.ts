/** Defines the schemas of API keys in requests and answers. */
import { z } from 'zod';
import { CUSTOMER_TOKEN_PATTERN, looksRandom } from '../../domain/accounts/customer-token.ts';
import { LIMIT_RESETS } from '../../domain/ceiling.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { queryFlag, queryInteger } from '../query-values.ts';
import { displayName, text } from '../text.ts';
import { trackingString } from './tracking-string.ts';

const time = z.iso.datetime();
const usd = z.number();
const spent = (period: string) => usd.meta({ description: `US dollars, ${period}.` });

export const apiKey = z
  .object({
    id: z.int().meta({ description: 'The numeric id of the key in analytics and logging settings.' }),
    hash: z
      .string()
      .meta({ description: 'SHA-256 of the key, in hexadecimal. It identifies the key in paths.' }),
    name: z.string(),
    label: z.string().meta({ description: 'The key, masked.' }),
    disabled: z.boolean(),
    created_at: time,
    updated_at: time.nullable(),
    expires_at: time.nullable(),
    last_used_at: time
      .nullable()
      .meta({ description: 'The time of the last request. Sluice writes it every 30 seconds.' }),
    creator_user_id: z.string().nullable(),
    external_user: z.string().nullable().meta({ description: 'The end user of requests that name none.' }),
    workspace_id: z.uuid(),
    limit: usd.nullable().meta({ description: 'US dollars; null: no limit.' }),
    limit_remaining: usd.nullable().meta({
      description:
        'US dollars that are left in this period, minus the possible cost of open jobs. Null: no limit.',
    }),
    limit_reset: z.enum(LIMIT_RESETS).nullable(),
    include_byok_in_limit: z.boolean(),
    usage: spent('in all'),
    usage_daily: spent('on this UTC day'),
    usage_weekly: spent('since Monday'),
    usage_monthly: spent('in this month'),
    byok_usage: spent('in all'),
    byok_usage_daily: spent('on this UTC day'),
    byok_usage_weekly: spent('since Monday'),
    byok_usage_monthly: spent('in this month'),
  })
  .meta({ id: 'ApiKey' });

/** The highest limit in dollars. Above it, JSON numbers lose nanodollars. */
const MAX_LIMIT_USD = 1_000_000_000;
/** The lowest limit in dollars: one nanodollar. */
const MIN_LIMIT_USD = 1e-9;

const name = displayName({ max: 255 });
const limit = z
  .number()
  .min(0, { abort: true })
  .max(MAX_LIMIT_USD)
  .refine((usd) => usd === 0 || usd >= MIN_LIMIT_USD, 'must be 0 or at least 0.000000001')
  .nullable()
  .meta({
    description: 'US dollars that the key may spend in each period; null: no limit.',
  });
const limitReset = z
  .enum(LIMIT_RESETS, `must be one of ${LIMIT_RESETS.join(', ')}, or null`)
  .nullable()
  .meta({
    description:
      'The period of the limit. It begins at midnight UTC: every day, on Monday, or on the first of the month. Null: the limit never resets.',
  });
const includeByok = z.boolean().meta({ description: 'True if BYOK usage counts against the limit.' });

const customerToken = z
  .string()
  .regex(CUSTOMER_TOKEN_PATTERN, {
    error: 'must be 32 to 256 visible ASCII characters and must not begin with sk-slc-',
    // The randomness check takes time proportional to the length, so it runs only on tokens of a valid length.
    abort: true,
  })
  .refine(looksRandom, 'must be random')
  .meta({
    description: 'A token of your own, used instead of a new one. Only its SHA-256 is stored.',
    writeOnly: true,
  });

export const newKey = z
  .object({
    name,
    limit: limit.optional(),
    limit_reset: limitReset.optional(),
    include_byok_in_limit: includeByok.default(false),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional().meta({
      description: 'A future time with seconds. Null: the key never expires.',
    }),
    workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
    creator_user_id: text({ min: 1, max: 64 }).nullable().optional().meta({
      description: 'A member of the organization. Null or absent: the user of the management key.',
    }),
    external: z
      .object({
        user: trackingString.meta({
          description: 'The end user of requests that name none.',
        }),
        api_key: customerToken.optional(),
      })
      .optional(),
  })
  .meta({ id: 'NewApiKey' });

/** The changes of a key. An absent field stays as it is; unknown fields are ignored. */
export const keyChanges = z
  .object({
    name: name.optional(),
    disabled: z.boolean().optional(),
    limit: limit.optional(),
    limit_reset: limitReset.optional(),
    include_byok_in_limit: includeByok.optional(),
    workspace_id: z.uuid().optional().meta({
      description:
        'Moves the key to this workspace. A workspace that the organization lacks is a 404. The current workspace changes nothing.',
    }),
  })
  .meta({ id: 'ApiKeyChanges' });

const createdKey = z
  .object({
    data: apiKey,
    key: z.string().meta({
      description: 'The key itself. No later response shows it. Empty if you brought the key.',
    }),
  })
  .meta({ id: 'CreatedApiKey' });

/** Returns the answer of an operation that creates a key. */
export function createdKeyAnswer(example: unknown) {
  return {
    description: 'The key.',
    schema: createdKey,
    headers: REPLAY_HEADER,
    example: { data: example, key: 'sk-slc-abcShownOnlyOnceAndKeptNowhereInTheClear0wxyz' },
  };
}

/** The query parameters of lists of keys. */
export const keyPageQuery = z.object({
  include_disabled: queryFlag().default(false).meta({ description: 'True: returns disabled keys too.' }),
  include_expired: queryFlag().default(false).meta({ description: 'True: returns expired keys too.' }),
  offset: queryInteger({ min: 0, max: 2_147_483_647 })
    .default(0)
    .meta({ description: 'The number of keys to skip.' }),
  before_id: queryInteger({ min: 1 })
    .optional()
    .meta({ description: 'The `id` of a key. Only keys that were created before it are returned.' }),
});

export type ApiKeyRecord = z.output<typeof apiKey>;
export type KeyPageQuery = z.output<typeof keyPageQuery>;
export type NewKeyBody = z.output<typeof newKey>;
export type KeyChangesBody = z.output<typeof keyChanges>;
export type CreatedKeyAnswer = z.output<typeof createdKey>;
