/** Presents the type, version and URL of a SCIM resource, in its `meta` and in headers. */
import type { ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { versionTag } from '../../../domain/directory/version-tag.ts';

/** The facts that the `meta` of a resource shows. */
export interface Versioned {
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

/** Returns the headers of an answer with a resource. */
export function headersOf(type: ScimResourceType, { id, version }: Versioned, base: string) {
  return { etag: versionTag(version), location: locationOf(type, id, base) };
}

function locationOf(type: ScimResourceType, id: string, base: string): string {
  return `${base}/${type}s/${id}`;
}
