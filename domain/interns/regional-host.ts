/** The parts of the world that have a host of their own before the public one. */
const REGIONS = ['eu', 'us'] as const;

/**
 * Returns the name of a host in lower case, without its port and without a dot at its end. The port is ignored because a
 * proxy may use another one than the public URL.
 */
function bare(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Returns a test for `Host` headers that name a regional host: `eu.` or `us.` before the host of the public URL. */
export function createRegionalHostTest(publicUrl: string): (hostHeader: string) => boolean {
  const { hostname } = new URL(publicUrl);
  const regional = new Set(REGIONS.map((region) => `${region}.${bare(hostname)}`));
  return (hostHeader) => regional.has(bare(hostHeader));
}
