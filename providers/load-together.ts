const BATCH_SIZE = 4;

/** Loads all items, in order and a few at a time. The first failure aborts the others, as does the signal. */
export async function loadTogether<Given, Loaded>(
  given: readonly Given[],
  load: (each: Given, signal: AbortSignal) => Promise<Loaded>,
  signal: AbortSignal,
): Promise<Loaded[]> {
  const failed = new AbortController();
  const within = AbortSignal.any([signal, failed.signal]);
  const all: Loaded[] = [];
  try {
    for (let at = 0; at < given.length; at += BATCH_SIZE) {
      const batch = given.slice(at, at + BATCH_SIZE);
      all.push(...(await Promise.all(batch.map((each) => load(each, within)))));
    }
    return all;
  } catch (error) {
    failed.abort();
    throw error;
  }
}
