/** Declares the operations in which the SCIM server describes itself: its features, resource types and schemas. */
import { z } from 'zod';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from '../../domain/directory/scim/documents.ts';
import { defineOperations } from '../operation.ts';
import { listOf } from './scim-examples.ts';
import { scimOperation } from './scim-operations.ts';
import { discoveryDocument, listOfResources } from './scim-resources.ts';

const list = listOfResources('ScimDiscoveryList', discoveryDocument);

const paramsOf = (example: string) =>
  z.object({ id: z.string().meta({ description: 'The id of the document.', examples: [example] }) });

export const scimDiscoveryOperations = defineOperations(scimOperation, {
  getScimServiceProviderConfig: {
    route: 'GET /scim/v2/ServiceProviderConfig',
    summary: 'Get the features of the SCIM server',
    responses: {
      200: { description: 'The configuration.', schema: discoveryDocument, example: SERVICE_PROVIDER_CONFIG },
    },
  },

  listScimResourceTypes: {
    route: 'GET /scim/v2/ResourceTypes',
    summary: 'List the kinds of resources',
    responses: {
      200: { description: 'The kinds of resources.', schema: list, example: listOf(RESOURCE_TYPES[0]) },
    },
  },

  getScimResourceType: {
    route: 'GET /scim/v2/ResourceTypes/{id}',
    summary: 'Get a kind of resources',
    params: paramsOf('User'),
    responses: {
      200: { description: 'The kind.', schema: discoveryDocument, example: RESOURCE_TYPES[0] },
    },
    errors: [404],
  },

  listScimSchemas: {
    route: 'GET /scim/v2/Schemas',
    summary: 'List the schemas',
    responses: {
      200: { description: 'The schemas.', schema: list, example: listOf(SCHEMAS[2]) },
    },
  },

  getScimSchema: {
    route: 'GET /scim/v2/Schemas/{id}',
    summary: 'Get a schema',
    params: paramsOf('urn:ietf:params:scim:schemas:core:2.0:User'),
    responses: {
      200: { description: 'The schema.', schema: discoveryDocument, example: SCHEMAS[2] },
    },
    errors: [404],
  },
});
