/** Warns the author of an analytics query of parts without effect and of missing data. */
import { DIMENSIONS } from '../../../domain/insights/analytics-dimensions.ts';
import type { PlanPart } from '../../../domain/insights/analytics-plan.ts';
import type { AnalyticsQuery } from '../../../domain/insights/analytics-query.ts';

interface QueryFacts {
  parts: readonly PlanPart[];
  /** The start of the period whose generations are all stored. */
  keptFrom: Date;
  /** The hashes that are no key of the organization. */
  unknownHashes: readonly string[];
}

/** Returns warnings about parts of the query that have no effect on the answer. */
export function warningsOf(
  { dimensions, filters, classifier, groupLimit }: AnalyticsQuery,
  { parts, keptFrom, unknownHashes }: QueryFacts,
): string[] {
  const warnings = filters.flatMap(({ field, operator, includeUnset }, index) => {
    const isApplied = DIMENSIONS[field].hasUnset && (operator === 'in' || operator === 'not_in');
    return includeUnset && !isApplied
      ? [`filters.${index}.include_unset has no effect on ${field} with ${operator}`]
      : [];
  });
  if (groupLimit !== undefined && dimensions.length === 0 && classifier?.groupBy === undefined) {
    warnings.push('group_limit has no effect without dimensions');
  }
  warnings.push(...unknownHashes.map((hash) => `api_key_id ${hash} is the hash of no key`));
  if (parts.some(({ source, start }) => source === 'rows' && start < keptFrom)) {
    warnings.push(
      `Single generations are kept from ${keptFrom.toISOString()} on; data that only they contain is missing before that time`,
    );
  }
  return warnings;
}
