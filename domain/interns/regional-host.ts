/** The parts of the world that have a host of their own before the public one. */
const REGIONS = ['eu', 'us'] as const;

/** A DNS name may end with a dot. The port of the public URL may be left out, or be another one behind a proxy. */
function bare(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Returns a test for `Host` headers that name a regional host: `eu.` or `us.` before the host of the public URL. */
export function createRegionalHostTest(publicUrl: string): (hostHeader: string) => boolean {
  const { hostname } = new URL(publicUrl);
  const regional = new Set(REGIONS.map((region) => `${region}.${bare(hostname)}`));
  return (hostHeader) => regional.has(bare(hostHeader));
}
