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
