import type { BroadcastFacts, Json } from './facts.ts';

/** The most that facts may take as JSON: they are written with the ledger's row, so callers wait for them. */
const MAX_CHARACTERS = 16 * 1024;

/** Removes what makes facts too large: the caller's own trace keys one by one, the largest first, then the parameters. */
export function limitFacts(facts: BroadcastFacts): BroadcastFacts {
  let excess = JSON.stringify(facts).length - MAX_CHARACTERS;
  if (excess <= 0) return facts;
  const sizes = Object.entries(facts.trace ?? {})
    .map(([name, value]) => ({ name, size: JSON.stringify([name, value]).length }))
    .sort((a, b) => b.size - a.size);
  const trace: { [name: string]: Json } = { ...facts.trace };
  for (const { name, size } of sizes) {
    if (excess <= 0) break;
    delete trace[name];
    excess -= size;
  }
  return excess <= 0 ? { ...facts, trace } : { ...facts, trace, parameters: {} };
}
