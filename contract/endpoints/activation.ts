import { z } from 'zod';
import { errorEnvelope } from '../errors.ts';
import { managedEndpoint } from './private-endpoint-record.ts';
import { validationResult } from './validation.ts';

/** An error of a create that may have made a draft: then `data` has it. */
export const notActivated = errorEnvelope
  .extend({
    data: z.object({ endpoint: managedEndpoint, validation: validationResult.nullable() }).optional().meta({
      description:
        'The draft, where one was created, and the checks that it did not pass. `validation` is null while they go on, and where they could not be started or their result is unknown.',
    }),
  })
  .meta({ id: 'PrivateEndpointNotActivated' });

export type NotActivated = z.output<typeof notActivated>;
