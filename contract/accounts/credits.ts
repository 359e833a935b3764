/** Declares the operation that returns the organization's credits, and the shape of its answer. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';

const common = { access: 'management', tag: 'Credits' } as const;

export const credits = z
  .object({
    data: z.object({
      total_credits: z
        .number()
        .meta({ description: 'The credit that the organization bought, in US dollars.' }),
      total_usage: z
        .number()
        .meta({ description: 'The credit that the organization used, in US dollars, without BYOK usage.' }),
    }),
  })
  .meta({ id: 'Credits' });

export type Credits = z.output<typeof credits>;

export const creditOperations = defineOperations(common, {
  getCredits: {
    route: 'GET /credits',
    errorMessages: 'exact',
    summary: 'Describe the credits of the organization',
    description: 'Neither sum contains jobs that have not ended, although their possible cost is reserved.',
    responses: {
      200: {
        description: 'The credits.',
        schema: credits,
        example: { data: { total_credits: 100, total_usage: 12.5 } },
      },
    },
  },
});
