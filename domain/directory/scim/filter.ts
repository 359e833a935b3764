/** Defines the syntax tree of SCIM filters. */

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type FilterValue = string | number | boolean | null;

/**
 * A filter of SCIM (RFC 7644, section 3.4.2.2), with paths as the caller wrote them. No schema has been applied yet.
 */
export type Filter =
  | { op: 'and' | 'or'; filters: readonly Filter[] }
  | { op: 'not'; filter: Filter }
  /** Holds if one value of a multi-valued attribute matches the filter. */
  | { op: 'some'; path: string; filter: Filter }
  | { op: 'pr'; path: string }
  | { op: Comparison; path: string; value: FilterValue };
