/** Declares the operations by which providers report the progress of video jobs. */
import { z } from 'zod';
import { defineOperations, MAX_CALLBACK_BYTES } from '../operation.ts';

const common = { access: 'public', tag: 'Provider callbacks' } as const;

const body = {
  schema: z
    .record(z.string(), z.unknown())
    .meta({ id: 'ProviderCallback', description: 'Any body that the provider sends.' }),
  examples: {
    prediction: {
      summary: 'Replicate, when a prediction has ended',
      value: { id: 'gm3qorzdhgbfurvjtvhg6dckhu', status: 'succeeded' },
    },
  },
} as const;

const received = z.object({ received: z.literal(true) }).meta({
  id: 'ProviderCallbackReceived',
  description: 'The callback is accepted, even if the job has already ended.',
});

const responses = {
  200: { description: 'Taken.', schema: received, example: { received: true } },
} as const;

const PROOF_NOTE =
  'For model providers, not for clients. A callback makes the gateway ask the provider now instead of later; its content is never used as the result. A callback without a valid proof gets the same 404 as one about an unknown job.';

/** The slug may be any string: a malformed one gets the answer for an unknown one. */
const provider = z.string().meta({ description: 'The slug of the provider.' });

export const providerCallbackOperations = defineOperations(common, {
  receiveJobCallback: {
    route: 'POST /provider-callbacks/{provider}/{jobId}',
    summary: "Take a provider's callback about one job",
    description: `${PROOF_NOTE} The provider receives the address, with its token, together with the job. If the provider's signing secret is configured, its signature is required too. A wrong or missing token is a 404 before the body is read.`,
    params: z.object({ provider, jobId: z.string() }),
    query: z.object({
      token: z
        .string()
        .optional()
        .catch(undefined)
        .meta({ description: 'The token in the address that the provider received.' }),
    }),
    body,
    responses,
    errors: [404],
  },

  receiveProviderCallback: {
    route: 'POST /provider-callbacks/{provider}',
    summary: "Take a provider's callback about any job",
    description: `${PROOF_NOTE} For providers that have one address for all jobs; the provider's signature is required. If its signing secret is not configured, the response is a 404 before the body is read. The body may have up to ${MAX_CALLBACK_BYTES / 1024} KiB.`,
    params: z.object({ provider }),
    body: { ...body, limit: 'callback' },
    responses,
    errors: [404],
  },
});
