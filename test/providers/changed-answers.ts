/** Finds the places in a vendor's answer, and changes their values. */

/** The steps from the answer to a value. */
export type Place = (string | number)[];

/** Returns every place in an answer, apart by whether the answer's meaning depends on it. A `*` stands for any step. */
export function placesIn(
  answer: unknown,
  decides: readonly string[],
): { decisive: Place[]; undecisive: Place[] } {
  const isDecisive = (place: Place): boolean => decides.some((pattern) => matches(place, pattern.split('.')));
  const all = placesBelow(answer, []);
  return {
    decisive: all.filter(isDecisive),
    undecisive: all.filter((place) => !isDecisive(place)),
  };
}

function matches(place: Place, pattern: readonly string[]): boolean {
  return (
    place.length === pattern.length && pattern.every((step, at) => step === '*' || step === String(place[at]))
  );
}

function placesBelow(value: unknown, place: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const steps: Place = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return steps.flatMap((step) => {
    const below = [...place, step];
    return [below, ...placesBelow((value as Record<string | number, unknown>)[step], below)];
  });
}

/** Returns a copy of an answer with another value at a place. */
export function withValueAt(answer: unknown, place: Place, value: unknown): unknown {
  const copy: unknown = structuredClone(answer);
  const holder = place
    .slice(0, -1)
    .reduce((at, step) => (at as Record<string | number, unknown>)[step], copy);
  (holder as Record<string | number, unknown>)[place.at(-1)!] = value;
  return copy;
}
