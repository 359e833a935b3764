/** The regions that have a host of their own, as a prefix of the public host. */
const REGIONS = ['eu', 'us'] as const;

/**
 * Returns a host in lower case, without its port and a trailing dot. The port is removed because a proxy may use
 * another one than the public URL.
 */
function hostWithoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Returns the regional hosts of a public host: `eu.` or `us.` before it. */
export function regionalHosts(publicHost: string): string[] {
  return REGIONS.map((region) => `${region}.${hostWithoutPort(publicHost)}`);
}

/**
 * Returns a test that recognizes `Host` headers of a regional host: `eu.` or `us.` before the host of the public URL.
 */
export function createRegionalHostTest(publicUrl: string): (hostHeader: string) => boolean {
  const { hostname } = new URL(publicUrl);
  const regional = new Set(regionalHosts(hostname));
  return (hostHeader) => regional.has(hostWithoutPort(hostHeader));
}
