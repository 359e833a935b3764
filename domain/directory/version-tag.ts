/** Returns the weak ETag of a version of a resource. */
export function versionTag(version: number): string {
  return `W/"${version}"`;
}

/**
 * Returns whether an `If-Match` or `If-None-Match` header matches the version, by weak comparison (RFC 9110, 8.8.3.2).
 */
export function namesVersion(header: string, version: number): boolean {
  return header.split(',').some((tag) => ['*', `"${version}"`].includes(tag.trim().replace(/^W\//, '')));
}
