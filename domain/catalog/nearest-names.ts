/** Finds the names of models that a mistyped or incomplete name may mean. */

/** The length above which a name is not compared, so that one request costs little. */
const MAX_LENGTH = 100;

/** The most characters in which similar names differ. */
const MAX_EDITS = 3;

/** The length of a beginning that says which model may be meant. */
const MIN_START = 3;

/** Ranks names that only begin alike after names that differ in a few characters. */
const BEGINS_ALIKE = 1_000;

/**
 * Returns the names that resemble a name, the most similar first: those that begin with all of it, then those in which
 * few characters differ, then those that begin alike. Their authors may differ.
 */
export function nearestNames(name: string, names: readonly string[]): string[] {
  if (name.length > MAX_LENGTH) return [];
  return names
    .map((candidate) => ({
      candidate,
      difference: differenceOf(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ difference }) => difference < Infinity)
    .toSorted((a, b) => a.difference - b.difference)
    .map(({ candidate }) => candidate);
}

/** Returns a rank of similarity; infinity for names that do not resemble each other. */
function differenceOf(name: string, candidate: string): number {
  const [slug, candidateSlug] = [slugOf(name), slugOf(candidate)];
  // The shortest of the longer names comes first; each comes before any name that differs.
  if (slug.length >= MIN_START && candidateSlug.startsWith(slug)) return candidateSlug.length / 1_000;
  const edits = Math.min(editsBetween(name, candidate), editsBetween(slug, candidateSlug));
  if (edits <= Math.min(MAX_EDITS, slug.length / 3)) return edits;
  const alike = commonStart(slug, candidateSlug);
  const isAlike = alike >= 3 && alike >= 0.6 * Math.min(slug.length, candidateSlug.length);
  return isAlike ? BEGINS_ALIKE + Math.max(slug.length, candidateSlug.length) - alike : Infinity;
}

function slugOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Returns how many characters to add, remove or replace (Levenshtein); infinity if the lengths differ too much. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return Infinity;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = previous[column - 1]! + Number(a[row - 1] !== b[column - 1]);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
