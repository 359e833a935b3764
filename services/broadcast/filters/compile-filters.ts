import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { FilterGroup, FilterRules } from '../../../domain/broadcast/filter-rules.ts';
import { compileRule } from './compile-rule.ts';

type Filter = (event: BroadcastEvent) => boolean;

/** Compiles a destination's filters, once for each version of its settings. A generation must pass every group. */
export function compileFilters(rules: FilterRules | null): Filter {
  if (rules === null || !rules.enabled) return () => true;
  const groups = rules.groups.filter((group) => group.rules.length > 0).map(compileGroup);
  return (event) => groups.every((passes) => passes(event));
}

function compileGroup({ logic, rules }: FilterGroup): Filter {
  const compiled = rules.map(compileRule);
  return logic === 'and'
    ? (event) => compiled.every((passes) => passes(event))
    : (event) => compiled.some((passes) => passes(event));
}
