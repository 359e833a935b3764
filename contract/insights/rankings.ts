/** Declares the operations that rank models and apps by usage. */
import { z } from 'zod';
import {
  APP_RANKINGS_SORTS,
  CONTEXT_BUCKETS,
  RANKED_SURFACES,
  RANKINGS_BEGIN,
  RANKINGS_PERIODS,
} from '../../domain/insights/rankings.ts';
import { CONTENT_CATEGORIES, LANGUAGE_TYPES } from '../../domain/catalog/content-class.ts';
import { conditionalHeaders } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';

const common = { access: 'any', tag: 'Datasets' } as const;
const day = () => z.iso.date({ error: 'must be a date such as 2026-03-01' });

/** The window of both operations. It is clipped to the dataset; a window outside of the dataset is rejected. */
const windowQuery = {
  start_date: day()
    .optional()
    .meta({
      description: `The first day, UTC; at most yesterday. Default: 30 days before the last day. A day before ${RANKINGS_BEGIN} becomes ${RANKINGS_BEGIN}.`,
      examples: ['2026-02-01'],
    }),
  end_date: day()
    .refine((date) => date >= RANKINGS_BEGIN, `must not be before ${RANKINGS_BEGIN}`)
    .optional()
    .meta({
      description: 'The last day, UTC, included. Default: yesterday. A later day becomes yesterday.',
      examples: ['2026-03-01'],
    }),
};

const isForward = ({ start_date: start, end_date: end }: { start_date?: unknown; end_date?: unknown }) =>
  typeof start !== 'string' || typeof end !== 'string' || start <= end;
const FORWARD = { path: ['start_date'], error: 'must not be after end_date' };

const modelQuery = z
  .object({
    ...windowQuery,
    period: z.enum(RANKINGS_PERIODS).optional().meta({
      description:
        'The period of a row: a day, an ISO week from its Monday, a month from its first day. Default: `day`. With `category` or `language_type` the default is `week`, and `day` is refused.',
    }),
    modality: z.enum(RANKED_SURFACES).optional().meta({
      description:
        'Counts only generations that made text or images (`text`, `image_output`), had images or audio as input (`image`, `audio`), or called a tool (`tool_calling`).',
    }),
    context_bucket: z
      .enum(Object.keys(CONTEXT_BUCKETS) as [keyof typeof CONTEXT_BUCKETS])
      .optional()
      .meta({
        description:
          'Counts only prompts in this bucket: at most this many tokens, and more than the next smaller bucket. 1K is 1000 tokens.',
      }),
    category: z.enum(CONTENT_CATEGORIES).optional().meta({
      description:
        'Counts only prompts of this category, estimated from a sample. Covers the whole weeks that begin in the window.',
    }),
    language_type: z.enum(LANGUAGE_TYPES).optional().meta({
      description: 'Counts only prompts in this kind of language, estimated like categories.',
    }),
  })
  .refine(isForward, FORWARD)
  .refine((query) => query.category === undefined || query.language_type === undefined, {
    path: ['category'],
    error: 'cannot be combined with language_type',
  })
  .refine(
    (query) => !isSampled(query) || (query.modality === undefined && query.context_bucket === undefined),
    {
      path: ['modality'],
      error: 'modality and context_bucket cannot be combined with category or language_type',
    },
  )
  .refine((query) => !isSampled(query) || query.period !== 'day', {
    path: ['period'],
    error: 'must be week or month with category or language_type',
  });

function isSampled(query: { category?: unknown; language_type?: unknown }): boolean {
  return query.category !== undefined || query.language_type !== undefined;
}

const notOffered = () =>
  z
    .string()
    .refine(() => false, 'is not offered: apps have no categories here')
    .optional()
    .meta({ description: 'Not supported: a request with this parameter is refused.', deprecated: true });

const appQuery = z
  .object({
    ...windowQuery,
    sort: z.enum(APP_RANKINGS_SORTS).default('popular').meta({
      description:
        '`popular`: by tokens in the window. `trending`: by growth over the average of the three windows of the same length before it; apps that did not grow are left out.',
    }),
    ...pageQuery,
    category: notOffered(),
    subcategory: notOffered(),
  })
  .refine(isForward, FORWARD);

const meta = z
  .object({
    as_of: z.string().meta({
      description:
        'The time at which the newest day of the dataset was closed. The data does not change until the next day is closed. If no day was closed yet: the first day of the window.',
    }),
    start_date: z.string().meta({ description: 'The first day of the window, as applied.' }),
    end_date: z.string().meta({ description: 'The last day of the window, as applied.' }),
    version: z.literal('v1'),
  })
  .meta({ id: 'RankingsMeta' });

const tokens = z.string().meta({
  description: "Prompt and completion tokens by each provider's own tokenizer, as a decimal.",
});

const modelRankings = z
  .object({
    data: z.array(
      z
        .object({
          date: z.string().meta({ description: 'The day, or the first day of the week or month.' }),
          model_permaslug: z.string().meta({
            description: '`other`: all models outside the 50 with most tokens, together.',
          }),
          total_tokens: tokens,
        })
        .meta({ id: 'ModelRanking' }),
    ),
    meta,
  })
  .meta({ id: 'ModelRankings' });

const appRankings = z
  .object({
    data: z.array(
      z
        .object({
          rank: z.int(),
          app_id: z.int(),
          app_name: z.string(),
          total_requests: z.int(),
          total_tokens: tokens,
        })
        .meta({ id: 'AppRanking' }),
    ),
    meta,
  })
  .meta({ id: 'AppRankings' });

export type ModelRankings = z.output<typeof modelRankings>;
export type AppRankings = z.output<typeof appRankings>;
export type RankingsMeta = z.output<typeof meta>;
export type ModelRankingsQuery = z.output<typeof modelQuery>;

const exampleMeta = {
  as_of: '2026-03-02T00:10:02.345Z',
  start_date: '2026-03-01',
  end_date: '2026-03-01',
  version: 'v1',
} as const;
const headers = { ETag: 'Changes when these rankings change; see `If-None-Match`.' };
const unchanged = { description: 'The client already has these rankings.', headers };
const LIMITS = 'At most 30 requests a minute for each key and 500 a UTC day for each organization.';
const LICENSE = 'CC BY 4.0: name the operator of this gateway where you use it.';

export const rankingOperations = defineOperations(common, {
  getModelRankings: {
    route: 'GET /datasets/rankings-daily',
    errorMessages: 'exact',
    summary: 'Rank the models by day',
    description: `Ranks public models over all organizations: for each day the 50 models with the most tokens, and \`other\`. Rows are sorted by date, then by tokens, the most first, then by name; \`other\` comes last. A day appears minutes after it ends. For three days it may still grow, if an outage delayed records; then it never changes. ${LIMITS} ${LICENSE}`,
    query: modelQuery,
    headers: conditionalHeaders,
    rateLimit: 'dataset',
    responses: {
      200: {
        description: 'The rankings.',
        headers,
        schema: modelRankings,
        example: {
          data: [
            { date: '2026-03-01', model_permaslug: 'local/echo-1', total_tokens: '482910' },
            { date: '2026-03-01', model_permaslug: 'other', total_tokens: '1204' },
          ],
          meta: exampleMeta,
        },
      },
      304: unchanged,
    },
    errors: [400],
  },

  getAppRankings: {
    route: 'GET /datasets/app-rankings',
    summary: 'Rank the apps',
    description: `Ranks apps by their usage of public models, over all organizations. Requests name their app with \`HTTP-Referer\` and \`X-OpenRouter-Title\`; apps without a public host name are left out. ${LIMITS} ${LICENSE}`,
    query: appQuery,
    headers: conditionalHeaders,
    rateLimit: 'dataset',
    responses: {
      200: {
        description: 'One page of apps.',
        headers,
        schema: appRankings,
        example: {
          data: [
            {
              rank: 1,
              app_id: 7,
              app_name: 'Story Forge',
              total_requests: 1_204,
              total_tokens: '482910',
            },
          ],
          meta: exampleMeta,
        },
      },
      304: unchanged,
    },
    errors: [400],
  },
});
