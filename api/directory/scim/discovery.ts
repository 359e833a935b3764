import type { DiscoveryDocument } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import {
  RESOURCE_TYPES,
  SCHEMAS,
  SERVICE_PROVIDER_CONFIG,
} from '../../../domain/directory/scim/documents.ts';
import { AppError } from '../../../domain/errors.ts';
import { presentScimList } from './present-scim-list.ts';
import { type ApiSettings, defineRoute } from '../../http/route.ts';
import { scimBaseUrl } from './scim-call.ts';

type Published = Readonly<Record<string, unknown>> & { schemas: string[]; meta: { resourceType: string } };

/** Adds the URL of a document to it. */
function located(document: Published, settings: ApiSettings, path: string): DiscoveryDocument {
  const location = `${scimBaseUrl(settings)}/${path}`;
  return { ...document, meta: { ...document.meta, location } };
}

function listed(documents: readonly (Published & { id: string })[], settings: ApiSettings, folder: string) {
  const resources = documents.map((one) => located(one, settings, `${folder}/${one.id}`));
  return presentScimList(resources, { startIndex: 1, totalCount: resources.length });
}

function found(
  documents: readonly (Published & { id: string })[],
  id: string,
  settings: ApiSettings,
  folder: string,
): DiscoveryDocument {
  const document = documents.find((one) => one.id === id);
  if (document === undefined) throw new AppError('not_found');
  return located(document, settings, `${folder}/${id}`);
}

export const getScimServiceProviderConfig = defineRoute(
  operations.getScimServiceProviderConfig,
  async (_call, { settings }) => ({
    status: 200,
    body: located(SERVICE_PROVIDER_CONFIG, settings, 'ServiceProviderConfig'),
  }),
);

export const listScimResourceTypes = defineRoute(
  operations.listScimResourceTypes,
  async (_call, { settings }) => ({ status: 200, body: listed(RESOURCE_TYPES, settings, 'ResourceTypes') }),
);

export const getScimResourceType = defineRoute(
  operations.getScimResourceType,
  async ({ params }, { settings }) => ({
    status: 200,
    body: found(RESOURCE_TYPES, params.id, settings, 'ResourceTypes'),
  }),
);

export const listScimSchemas = defineRoute(operations.listScimSchemas, async (_call, { settings }) => ({
  status: 200,
  body: listed(SCHEMAS, settings, 'Schemas'),
}));

export const getScimSchema = defineRoute(operations.getScimSchema, async ({ params }, { settings }) => ({
  status: 200,
  body: found(SCHEMAS, params.id, settings, 'Schemas'),
}));
