import { z } from 'zod';
import { MAX_PRIVATE_ENDPOINTS } from '../../domain/endpoints/private-endpoint.ts';
import { PRIVATE_ENDPOINTS_ENTITLEMENT } from '../../domain/entitlement.ts';
import { defineOperation } from '../operation.ts';
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
const common = {
  access: 'management',
  entitlement: PRIVATE_ENDPOINTS_ENTITLEMENT,
  tag: 'Private endpoints',
} as const;

/** The error statuses of every write operation. */
const WRITE_ERRORS = [400, 404, 408, 409, 422, 502] as const;

/** The id may be any string. One that names no endpoint of the organization is a 404. */
export const privateEndpointParams = z.object({
  id: z.string().meta({ description: 'The id of the endpoint.', examples: [examples.endpointId] }),
});

const managedAnswer = z.object({ data: managedEndpoint }).meta({ id: 'ManagedPrivateEndpointAnswer' });
const managed = { schema: managedAnswer, example: { data: examples.managed } };

const current = {
  schema: z.object({ data: privateEndpoint }).meta({ id: 'PrivateEndpointAnswer' }),
  example: { data: examples.endpoint },
};

export const listPrivateEndpoints = defineOperation({
  ...common,
  id: 'listPrivateEndpoints',
  method: 'get',
  path: '/private-endpoints',
  summary: 'List private endpoints',
  description: 'All private endpoints of the organization, the oldest first.',
  responses: {
    200: {
      description: 'The endpoints.',
      schema: z.object({ data: z.array(endpointSummary) }).meta({ id: 'PrivateEndpointList' }),
      example: { data: [examples.summary] },
    },
  },
  errors: [408],
});

export const createPrivateEndpoint = defineOperation({
  ...common,
  id: 'createPrivateEndpoint',
  method: 'post',
  path: '/private-endpoints',
  summary: 'Create a private endpoint',
  description: `Creates a draft for a deployment of yours, which serves requests once it is activated. With \`activate\` it is checked at once, and active when the checks pass. An organization may have ${MAX_PRIVATE_ENDPOINTS} private endpoints: one more is a 422. A repeated request with the same \`Idempotency-Key\` shows the endpoint as it is by then.`,
  body: { schema: newPrivateEndpoint, limit: 'default', examples: examples.creations },
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
        'The checks take longer than 25 seconds and go on; the draft becomes active when they pass. Or Postgres cancelled a statement; `data` has the draft where it was created before.',
      schema: notActivated,
      example: examples.stillChecked,
    },
    409: {
      description:
        'The request conflicts with another one. `too_many_validations`: the draft was created, and the organization has too many checks under way to begin these.',
      schema: notActivated,
      example: examples.notBegun,
    },
    422: {
      description: 'The draft breaks a rule, or it was created and its checks failed.',
      schema: notActivated,
      example: examples.notActivated,
    },
    503: {
      description:
        'The gateway cannot do its work now. `data` has the draft where it was created and its checks could not be started.',
      schema: notActivated,
      example: examples.notStarted,
    },
  },
  errors: WRITE_ERRORS,
});

export const getPrivateEndpoint = defineOperation({
  ...common,
  id: 'getPrivateEndpoint',
  method: 'get',
  path: '/private-endpoints/{id}',
  errorMessages: 'exact',
  summary: 'Get a private endpoint',
  params: privateEndpointParams,
  responses: {
    200: {
      description: 'The endpoint, with its last validation.',
      schema: z.object({ data: validatedEndpoint }).meta({ id: 'ValidatedPrivateEndpointAnswer' }),
      example: { data: { ...examples.endpoint, validation: examples.validation } },
    },
  },
  errors: [404, 408],
});

export const updatePrivateEndpoint = defineOperation({
  ...common,
  id: 'updatePrivateEndpoint',
  method: 'patch',
  path: '/private-endpoints/{id}',
  errorMessages: 'exact',
  summary: 'Replace the upstream of a draft',
  description:
    'An absent `base_url` stays. Absent declarations stay while the address and the model of the upstream stay the same, and are cleared when either changes; null clears them. A change clears earlier validations, also when it is undone later; equal values change nothing. An endpoint that is no draft is a 409: create another one.',
  params: privateEndpointParams,
  body: { schema: privateEndpointChanges, limit: 'default', examples: examples.changes },
  responses: { 200: { description: 'The endpoint as it is now.', ...current } },
  errors: WRITE_ERRORS,
});

export const deletePrivateEndpoint = defineOperation({
  ...common,
  id: 'deletePrivateEndpoint',
  method: 'delete',
  path: '/private-endpoints/{id}',
  summary: 'Delete a private endpoint',
  description: 'It serves no more requests. Those that it serves at this moment go on.',
  params: privateEndpointParams,
  query: z.object({
    draft_only: queryFlag()
      .optional()
      .meta({ description: '`true`: an endpoint that is no draft is a 409.' }),
  }),
  responses: {
    200: {
      description: 'It is deleted.',
      schema: z.object({ data: z.object({ id: z.uuid() }) }).meta({ id: 'PrivateEndpointDeleted' }),
      example: { data: { id: examples.endpointId } },
    },
  },
  errors: WRITE_ERRORS,
});

export const setPrivateEndpointPricing = defineOperation({
  ...common,
  id: 'setPrivateEndpointPricing',
  method: 'put',
  path: '/private-endpoints/{id}/pricing',
  errorMessages: 'exact',
  summary: 'Set the prices of a private endpoint',
  description:
    'Replaces all prices of a draft, an active or a disabled endpoint. They hold for requests from now on.',
  params: privateEndpointParams,
  body: { schema: newPricing, limit: 'default', examples: examples.pricings },
  responses: { 200: { description: 'The endpoint as it is now.', ...current } },
  errors: WRITE_ERRORS,
});

export const activatePrivateEndpoint = defineOperation({
  ...common,
  id: 'activatePrivateEndpoint',
  method: 'post',
  path: '/private-endpoints/{id}/activate',
  summary: 'Activate a draft',
  description:
    'The endpoint serves requests from now on. 409 unless it is a draft that passed a validation as it is now, within the last 24 hours.',
  params: privateEndpointParams,
  responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
  errors: WRITE_ERRORS,
});

export const enablePrivateEndpoint = defineOperation({
  ...common,
  id: 'enablePrivateEndpoint',
  method: 'post',
  path: '/private-endpoints/{id}/enable',
  summary: 'Enable a disabled endpoint',
  description: 'It serves requests again. An endpoint that is active stays so; a draft is a 409.',
  params: privateEndpointParams,
  responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
  errors: WRITE_ERRORS,
});

export const disablePrivateEndpoint = defineOperation({
  ...common,
  id: 'disablePrivateEndpoint',
  method: 'post',
  path: '/private-endpoints/{id}/disable',
  summary: 'Disable an active endpoint',
  description: 'It serves no more requests until it is enabled. A disabled one stays so; a draft is a 409.',
  params: privateEndpointParams,
  responses: { 200: { description: 'The endpoint as it is now.', ...managed } },
  errors: WRITE_ERRORS,
});
