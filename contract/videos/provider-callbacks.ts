import { z } from 'zod';
import { defineOperation, MAX_CALLBACK_BYTES } from '../operation.ts';

const tag = 'Provider callbacks';

const body = {
  schema: z
    .record(z.string(), z.unknown())
    .meta({ id: 'ProviderCallback', description: 'Any body that the provider sends.' }),
  limit: 'default',
  examples: {
    prediction: {
      summary: 'Replicate, when a prediction has ended',
      value: { id: 'gm3qorzdhgbfurvjtvhg6dckhu', status: 'succeeded' },
    },
  },
} as const;

const received = z
  .object({ received: z.literal(true) })
  .meta({ id: 'ProviderCallbackReceived', description: 'Also when the job is over already.' });

const responses = {
  200: { description: 'Taken.', schema: received, example: { received: true } },
} as const;

const PROOF_NOTE =
  'For model providers, not for clients. It is a hint to ask the provider now rather than later; its content is never taken for the result. One that is not proven and one about nothing known here are the same 404.';

/** The slug may be any string: a malformed one gets the answer for an unknown one. */
const provider = z.string().meta({ description: 'The slug of the provider.' });

export const receiveJobCallback = defineOperation({
  id: 'receiveJobCallback',
  method: 'post',
  path: '/provider-callbacks/{provider}/{jobId}',
  access: 'public',
  tag,
  summary: "Take a provider's callback about one job",
  description: `${PROOF_NOTE} The address, with its token, is given to the provider with the job; where the provider's signing secret is configured, its signature is needed as well. A wrong or missing token is a 404 before the body is read.`,
  params: z.object({ provider, jobId: z.string() }),
  query: z.object({
    token: z
      .string()
      .optional()
      .catch(undefined)
      .meta({ description: 'Belongs to the address that the provider was given.' }),
  }),
  body,
  responses,
  errors: [404],
});

export const receiveProviderCallback = defineOperation({
  id: 'receiveProviderCallback',
  method: 'post',
  path: '/provider-callbacks/{provider}',
  access: 'public',
  tag,
  summary: "Take a provider's callback about any job",
  description: `${PROOF_NOTE} For providers that have one address for all jobs; the provider's signature is needed. Where its signing secret is not configured, the answer is a 404 before the body is read. The body may be ${MAX_CALLBACK_BYTES / 1024} KiB.`,
  params: z.object({ provider }),
  body: { ...body, limit: 'callback' },
  responses,
  errors: [404],
});
