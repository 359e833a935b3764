/** Reads the names of service tiers. */

/** The names that vendors give to their standard tier, or to the choice between it and others. */
const STANDARD: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);

/** Returns whether a request with this value of `service_tier` gets the standard tier. */
export function isStandardTier(value: unknown): boolean {
  return value === undefined || value === null || STANDARD.has(value);
}

/** Returns the tier, which has prices of its own; undefined for a standard one, and for anything but a name. */
export function pricedTierOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && !isStandardTier(value) ? value : undefined;
}
