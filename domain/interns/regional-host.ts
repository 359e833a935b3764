/** The regions that have a host of their own, as a prefix of the public host. */
const REGIONS = ['eu', 'us'] as const;

/**
 * Returns a host in lower case, without its port and a trailing dot. The port is removed because a proxy may use
 * another one than the public URL.
 */
function hostWithoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * Returns a test that recognizes `Host` headers of a regional host: `eu.` or `us.` before the host of the public URL.
 */
export function createRegionalHostTest(publicUrl: string): (hostHeader: string) => boolean {
  const { hostname } = new URL(publicUrl);
  const regional = new Set(REGIONS.map((region) => `${region}.${hostWithoutPort(hostname)}`));
  return (hostHeader) => regional.has(hostWithoutPort(hostHeader));
}
