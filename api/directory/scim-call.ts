/**
 * Converts requests to the SCIM server for the services, refuses unsupported features, and builds the common parts of
 * answers.
 */
import type { ScimListQuery } from '../../contract/directory/scim-requests.ts';
import type { DirectoryClient } from '../../domain/directory/scim-token.ts';
import type { ScimResourceType } from '../../domain/directory/scim/attribute.ts';
import { namesVersion, versionTag } from '../../domain/directory/version-tag.ts';
import { AppError } from '../../domain/errors.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import type { ClientFacts } from '../../domain/principal.ts';
import type { ScimWrite } from '../../services/directory/scim-server/scim-write.ts';
import { createProjection } from '../../services/directory/scim/create-projection.ts';
import { SCIM_BASE } from '../http/base-path.ts';
import type { ApiSettings } from '../http/route.ts';

/** Returns the URL of the SCIM server for identity providers. */
export function scimBaseUrl({ publicUrl }: ApiSettings): string {
  return publicUrl + SCIM_BASE;
}

interface WriteCall {
  directoryClient: DirectoryClient;
  client: ClientFacts;
  headers: { 'if-match'?: string | undefined };
  gone(): AbortSignal;
}

export function toScimWrite({ directoryClient, client, headers, gone }: WriteCall): ScimWrite {
  return {
    client: directoryClient,
    requestId: client.requestId,
    gone: gone(),
    ...withoutUndefined({ ifMatch: headers['if-match'] }),
  };
}

/** Returns whether the caller already has the version. */
export function isKnown(headers: { 'if-none-match'?: string | undefined }, version: number): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && namesVersion(known, version);
}

/** Throws a 501 for optional parts of RFC 7644 and RFC 9865 that the server does not support. */
export function refuseUnsupported({ sortBy, sortOrder, cursor }: ScimListQuery): void {
  const unsupported = Object.entries({ sortBy, sortOrder, cursor }).find(([, value]) => value !== undefined);
  if (unsupported === undefined) return;
  throw new AppError('not_implemented', { publicMessage: `Not implemented: ${unsupported[0]}` });
}

/** Builds the ListResponse message of RFC 7644. */
export function presentScimList<Resource>(
  resources: Resource[],
  { startIndex, totalCount }: { startIndex: number; totalCount: number },
) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] as [
      'urn:ietf:params:scim:api:messages:2.0:ListResponse',
    ],
    totalResults: totalCount,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** The facts that the `meta` of a resource shows. */
interface Versioned {
  id: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Returns the `meta` of a resource.
 * @param base The URL of the SCIM server.
 */
export function metaOf(
  type: ScimResourceType,
  { id, version, createdAt, updatedAt }: Versioned,
  base: string,
) {
  return {
    resourceType: type,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: locationOf(type, id, base),
    version: versionTag(version),
  };
}

/** The parameters of a query that select the attributes of an answer. */
export type ScimProjection = Pick<ScimListQuery, 'attributes' | 'excludedAttributes'>;

interface ResourceKind<Shown, Resource> {
  type: ScimResourceType;
  /** Presents a whole resource. `base` is the URL of the SCIM server. */
  present(shown: Shown, base: string): Resource;
  versionOf(shown: Shown): Versioned;
}

/** Returns the functions that show resources of one kind with the attributes that a request asks for. */
export function createView<Shown, Resource extends object>(
  { type, present, versionOf }: ResourceKind<Shown, Resource>,
  query: ScimProjection,
  settings: ApiSettings,
) {
  const projection = createProjection(withoutUndefined(query), type);
  const base = scimBaseUrl(settings);
  const show = (shown: Shown) => projection.apply(present(shown, base)) as Resource;
  return {
    includes: projection.includes,
    show,
    /** Returns the headers and the body of an answer with one resource. */
    answer(shown: Shown) {
      const { id, version } = versionOf(shown);
      const headers = { etag: versionTag(version), location: locationOf(type, id, base) };
      return { headers, body: show(shown) };
    },
  };
}

function locationOf(type: ScimResourceType, id: string, base: string): string {
  return `${base}/${type}s/${id}`;
}
