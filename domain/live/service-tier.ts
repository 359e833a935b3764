/** Reads the names of service tiers. */

/** The names that vendors give to their standard tier, or to the choice between it and others. */
const STANDARD: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);

/** Returns the tier, which has prices of its own; undefined for a standard one, and for anything but a name. */
export function pricedTierOf(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' && !STANDARD.has(name) ? name : undefined;
}
