/** Defines the error answer to a create with activation that leaves a draft behind. */
import { z } from 'zod';
import { errorEnvelope } from '../errors.ts';
import { managedEndpoint } from './private-endpoint-record.ts';
import { validationResult } from './validation.ts';

/** An error of a request that may have created a draft. `data` then contains the draft. */
export const notActivated = errorEnvelope
  .extend({
    data: z.object({ endpoint: managedEndpoint, validation: validationResult.nullable() }).optional().meta({
      description:
        'The draft, if one was created, with its validation. `validation` is null while the checks run, if they could not be started, or if their result is unknown.',
    }),
  })
  .meta({ id: 'PrivateEndpointNotActivated' });

export type NotActivated = z.output<typeof notActivated>;
