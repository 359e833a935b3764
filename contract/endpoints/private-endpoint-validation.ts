import { z } from 'zod';

/** The last run of the checks of a private endpoint. */
export const endpointValidation = z
  .object({
    state: z.enum(['running', 'passed', 'failed']),
    passed: z.boolean().nullable().meta({ description: 'Null while it runs.' }),
    checks: z.array(z.record(z.string(), z.unknown())),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable().meta({ description: 'Null while it runs.' }),
    is_current: z.boolean().meta({
      description:
        'Whether it tested the endpoint as it is now. One of an earlier configuration counts for nothing.',
    }),
  })
  .meta({ id: 'PrivateEndpointValidation' });

export type EndpointValidationRecord = z.output<typeof endpointValidation>;
