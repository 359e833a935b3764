/**
 * Answers the discovery requests of identity providers with the features, resource types and schemas of the SCIM
 * server.
 */
import type { scimDiscoveryOperations } from '../../contract/directory/scim-discovery.ts';
import type { DiscoveryDocument } from '../../contract/directory/scim-resources.ts';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from '../../domain/directory/scim/documents.ts';
import { AppError } from '../../domain/errors.ts';
import type { ApiSettings, RoutesOf } from '../http/route.ts';
import { presentScimList, scimBaseUrl } from './scim-call.ts';

export const scimDiscoveryRoutes: RoutesOf<typeof scimDiscoveryOperations> = {
  getScimServiceProviderConfig: async (_call, { settings }) => ({
    status: 200,
    body: withLocation(SERVICE_PROVIDER_CONFIG, settings, 'ServiceProviderConfig'),
  }),

  listScimResourceTypes: async (_call, { settings }) => ({
    status: 200,
    body: presentDocuments(RESOURCE_TYPES, settings, 'ResourceTypes'),
  }),

  getScimResourceType: async ({ params }, { settings }) => ({
    status: 200,
    body: findDocument(RESOURCE_TYPES, params.id, settings, 'ResourceTypes'),
  }),

  listScimSchemas: async (_call, { settings }) => ({
    status: 200,
    body: presentDocuments(SCHEMAS, settings, 'Schemas'),
  }),

  getScimSchema: async ({ params }, { settings }) => ({
    status: 200,
    body: findDocument(SCHEMAS, params.id, settings, 'Schemas'),
  }),
};

type Published = Readonly<Record<string, unknown>> & { schemas: string[]; meta: { resourceType: string } };

/** Returns the document with its URL. */
function withLocation(document: Published, settings: ApiSettings, path: string): DiscoveryDocument {
  const location = `${scimBaseUrl(settings)}/${path}`;
  return { ...document, meta: { ...document.meta, location } };
}

function presentDocuments(
  documents: readonly (Published & { id: string })[],
  settings: ApiSettings,
  folder: string,
) {
  const resources = documents.map((document) => withLocation(document, settings, `${folder}/${document.id}`));
  return presentScimList(resources, { startIndex: 1, totalCount: resources.length });
}

function findDocument(
  documents: readonly (Published & { id: string })[],
  id: string,
  settings: ApiSettings,
  folder: string,
): DiscoveryDocument {
  const document = documents.find((each) => each.id === id);
  if (document === undefined) throw new AppError('not_found');
  return withLocation(document, settings, `${folder}/${id}`);
}
