/** Defines how answers show the checks of a private endpoint. */
import { z } from 'zod';
import { CHECK_NAMES, CHECK_REASONS, VALIDATION_STATES } from '../../domain/endpoints/validation.ts';

const check = z
  .object({
    name: z.enum(CHECK_NAMES),
    passed: z.boolean(),
    reason: z.enum(CHECK_REASONS).optional().meta({ description: 'The reason of the failure.' }),
    actual_model: z.string().nullable().optional().meta({
      description: 'The model that the upstream reports, if it is not the requested one.',
    }),
    upstream_message: z.string().nullable().optional().meta({
      description:
        "The `error.message` of the upstream's JSON response, at most 1 KiB, without secrets and addresses.",
    }),
    upstream_status: z.int().optional().meta({ description: 'The HTTP status of the upstream.' }),
  })
  .meta({ id: 'PrivateEndpointCheck' });

const checks = z.array(check).meta({
  description: 'The checks in the order of execution, up to the first failure.',
});

/** The result of a validation that has ended. */
export const validationResult = z
  .object({ passed: z.boolean(), checks })
  .meta({ id: 'PrivateEndpointValidationResult' });

export type ValidationResult = z.output<typeof validationResult>;

/** The field `validation` of a private endpoint. */
export const validationState = z
  .object({
    state: z.enum(VALIDATION_STATES),
    passed: z.boolean().nullable().meta({ description: 'Null while the validation runs.' }),
    checks: checks.meta({
      description:
        'The checks up to the first failure. While the validation runs: the checks that have passed so far.',
    }),
    is_current: z.boolean().meta({
      description:
        'True if the validation tested the current configuration of the endpoint and is not older than 24 hours.',
    }),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable().meta({ description: 'Null while the validation runs.' }),
  })
  .nullable()
  .meta({
    id: 'PrivateEndpointValidation',
    description: 'The latest validation. Null: the endpoint was never validated.',
  });

/** A validation in the list of the organization. */
export const listedValidation = z
  .object({
    id: z.uuid(),
    endpoint_id: z.uuid(),
    workspace_id: z.uuid().meta({ description: 'The workspace whose credential was used.' }),
    model_permaslug: z.string(),
    provider_name: z.string(),
    state: z.enum(VALIDATION_STATES),
    checks,
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable().meta({ description: 'Null while the validation runs.' }),
  })
  .meta({ id: 'ListedPrivateEndpointValidation' });

export type ListedValidationRecord = z.output<typeof listedValidation>;

export type ValidationRecord = z.output<typeof validationState>;

export const validationExample = {
  passed: false,
  checks: [
    { name: 'base_url_allowed' as const, passed: true },
    {
      name: 'credential_ok' as const,
      passed: false,
      reason: 'upstream_error' as const,
      upstream_message: 'Incorrect API key provided',
      upstream_status: 401,
    },
  ],
};
