/** Declares the operations on private endpoints, from creation to activation, disabling and deletion. */
import { z } from 'zod';
import { MAX_PRIVATE_ENDPOINTS } from '../../domain/endpoints/private-endpoint.ts';
import { PRIVATE_ENDPOINTS_ENTITLEMENT } from '../../domain/entitlement.ts';
import { answerWith, recordsOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { queryFlag } from '../query-values.ts';
import { notActivated } from './activation.ts';
import { newPricing, newPrivateEndpoint, privateEndpointChanges } from './private-endpoint-body.ts';
import * as examples from './private-endpoint-examples.ts';
import {
  endpointSummary,
  managedEndpoint,
  privateEndpoint,
  validatedEndpoint,
} from './private-endpoint-record.ts';

/** The properties that all operations on private endpoints share. */
export const privateEndpointOperation = {
  access: 'management',
  entitlement: PRIVATE_ENDPOINTS_ENTITLEMENT,
  tag: 'Private endpoints',
} as const;

/** The error statuses of every write operation. */
const WRITE_ERRORS = [400, 404, 408, 409, 422, 502] as const;

export const privateEndpointParams = idParams('endpoint', examples.endpointId);

const managed = answerWith('ManagedPrivateEndpointAnswer', managedEndpoint, examples.managed);
const current = answerWith('PrivateEndpointAnswer', privateEndpoint, examples.endpoint);

export const privateEndpointOperations = defineOperations(privateEndpointOperation, {
  listPrivateEndpoints: {
    route: 'GET /private-endpoints',
    summary: 'List private endpoints',
    description: 'Lists all private endpoints of the organization, the oldest first.',
    responses: {
      200: {
        description: 'The endpoints.',
        ...recordsOf('PrivateEndpointList', endpointSummary, examples.summary),
      },
    },
    errors: [408],
  },

  createPrivateEndpoint: {
    route: 'POST /private-endpoints',
    summary: 'Create a private endpoint',
    description: `Creates a draft for a deployment of yours, which serves requests once it is activated. With \`activate\`, the checks run at once, and the endpoint becomes active if they pass. An organization may have ${MAX_PRIVATE_ENDPOINTS} private endpoints; another is a 422. A repeated request with the same \`Idempotency-Key\` returns the endpoint as it is then.`,
    body: { schema: newPrivateEndpoint, examples: examples.creations },
    idempotent: true,
    responses: {
      201: {
        description: 'The endpoint.',
        headers: {
          'Idempotent-Replayed': '`true` when an earlier request with the same key created the endpoint.',
        },
        ...managed,
      },
      408: {
        description:
          'A 408 has one of two causes. The checks take longer than 25 seconds: they continue, and the draft becomes active if they pass. Or Postgres cancelled a statement: `data` then has the draft, if it was created before.',
        schema: notActivated,
        example: examples.checksRunning,
      },
      409: {
        description:
          'The request conflicts with another one. `too_many_validations`: the draft was created, but the organization has too many running validations to begin this one.',
        schema: notActivated,
        example: examples.tooManyValidations,
      },
      422: {
        description: 'The draft breaks a rule, or it was created and its checks failed.',
        schema: notActivated,
        example: examples.notActivated,
      },
      503: {
        description:
          'The gateway is temporarily unavailable. `data` has the draft if it was created and its checks could not be started.',
        schema: notActivated,
        example: examples.notStarted,
      },
    },
    errors: WRITE_ERRORS,
  },

  getPrivateEndpoint: {
    route: 'GET /private-endpoints/{id}',
    errorMessages: 'exact',
    summary: 'Get a private endpoint',
    params: privateEndpointParams,
    responses: {
      200: {
        description: 'The endpoint, with its last validation.',
        ...answerWith('ValidatedPrivateEndpointAnswer', validatedEndpoint, {
          ...examples.endpoint,
          validation: examples.validation,
        }),
      },
    },
    errors: [404, 408],
  },

  updatePrivateEndpoint: {
    route: 'PATCH /private-endpoints/{id}',
    errorMessages: 'exact',
    summary: 'Replace the upstream of a draft',
    description:
      'Replaces the upstream of a draft. An absent `base_url` stays as it is. Absent declarations stay as they are while the address and the model of the upstream are unchanged. If either changes, absent declarations are cleared. Null clears a declaration. A change clears earlier validations, even if a later change undoes it; equal values change nothing. An endpoint that is not a draft is a 409: create another one.',
    params: privateEndpointParams,
    body: { schema: privateEndpointChanges, examples: examples.changes },
    responses: { 200: { description: 'The endpoint as it is now.', ...current } },
    errors: WRITE_ERRORS,
  },

  deletePrivateEndpoint: {
    route: 'DELETE /private-endpoints/{id}',
    summary: 'Delete a private endpoint',
    description: 'Deletes the endpoint. It receives no new requests; requests in flight continue.',
    params: privateEndpointParams,
    query: z.object({
      draft_only: queryFlag()
        .optional()
        .meta({ description: '`true`: an endpoint that is not a draft is a 409.' }),
    }),
    responses: {
      200: {
        description: 'The endpoint is deleted.',
        schema: z.object({ data: z.object({ id: z.uuid() }) }).meta({ id: 'PrivateEndpointDeleted' }),
        example: { data: { id: examples.endpointId } },
      },
    },
    errors: WRITE_ERRORS,
  },

  setPrivateEndpointPricing: {
    route: 'PUT /private-endpoints/{id}/pricing',
    errorMessages: 'exact',
    summary: 'Set the prices of a private endpoint',
    description:
      'Replaces all prices of the endpoint, whether it is a draft, active or disabled. The new prices apply to requests from now on.',
    params: privateEndpointParams,
    body: { schema: newPricing, examples: examples.pricings },
    responses: { 200: { description: 'The endpoint as it is now.', ...current } },
    errors: WRITE_ERRORS,
  },

  activatePrivateEndpoint: {
    route: 'POST /private-endpoints/{id}/activate',
    summary: 'Activate a draft',
    description:
      'Activates a draft, which then serves requests. Its current configuration must have passed a validation within the last 24 hours; otherwise the response is a 409.',
    params: privateEndpointParams,
    responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
    errors: WRITE_ERRORS,
  },

  enablePrivateEndpoint: {
    route: 'POST /private-endpoints/{id}/enable',
    summary: 'Enable a disabled endpoint',
    description: 'The endpoint serves requests again. An active endpoint stays active; a draft is a 409.',
    params: privateEndpointParams,
    responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
    errors: WRITE_ERRORS,
  },

  disablePrivateEndpoint: {
    route: 'POST /private-endpoints/{id}/disable',
    summary: 'Disable an active endpoint',
    description:
      'The endpoint serves no requests until it is enabled. A disabled endpoint stays disabled; a draft is a 409.',
    params: privateEndpointParams,
    responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
    errors: WRITE_ERRORS,
  },
});
