/** Turns the filter rules of a destination into a function that tests a generation. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { FilterGroup, FilterRules } from '../../../domain/broadcast/filter-rules.ts';
import { compileRule } from './compile-rule.ts';

/** Returns undefined if the answer depends on a prompt or an answer that is missing. */
type Filter = (event: BroadcastEvent) => boolean | undefined;

/** Compiles a destination's filters, once for each version of its settings. A generation must pass every group. */
export function compileFilters(rules: FilterRules | null): Filter {
  if (rules === null || !rules.enabled) return () => true;
  const groups = rules.groups.filter((group) => group.rules.length > 0).map(compileGroup);
  return all(groups);
}

function compileGroup({ logic, rules }: FilterGroup): Filter {
  const compiled = rules.map(compileRule);
  return logic === 'and' ? all(compiled) : any(compiled);
}

/** Combines filters. One that fails decides, also beside undecided ones. */
function all(filters: readonly Filter[]): Filter {
  return (event) => {
    let result: boolean | undefined = true;
    for (const passes of filters) {
      const passed = passes(event);
      if (passed === false) return false;
      if (passed === undefined) result = undefined;
    }
    return result;
  };
}

/** Combines filters. One that passes decides, also beside undecided ones. */
function any(filters: readonly Filter[]): Filter {
  return (event) => {
    let result: boolean | undefined = false;
    for (const passes of filters) {
      const passed = passes(event);
      if (passed === true) return true;
      if (passed === undefined) result = undefined;
    }
    return result;
  };
}
