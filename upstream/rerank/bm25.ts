/**
 * The usual constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
 */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * Scores each document by the words that it shares with the query: 0 for none, below 1 for many and rare ones. The same
 * words always give the same score.
 */
export function rankByWords(query: string, documents: readonly string[]): number[] {
  const queryWords = [...new Set(wordsOf(query))];
  const counts = documents.map((document) => countWords(wordsOf(document)));
  const average = counts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counts.length);
  const weights = queryWords.map((word) =>
    rarity(counts.filter(({ of }) => of.has(word)).length, counts.length),
  );
  return counts.map(({ of, length }) => {
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, average));
    const score = queryWords.reduce((sum, word, i) => {
      const times = of.get(word) ?? 0;
      return times === 0 ? sum : sum + (weights[i]! * times * (SATURATION + 1)) / (times + norm);
    }, 0);
    // Maps the score, which has no upper limit, to a value below 1, as callers expect.
    return score / (score + 1);
  });
}

/** Returns the weight of a word: higher if few documents have it, and always positive. */
function rarity(documentsWithWord: number, documents: number): number {
  return Math.log(1 + (documents - documentsWithWord + 0.5) / (documentsWithWord + 0.5));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countWords(words: string[]): { of: Map<string, number>; length: number } {
  const of = new Map<string, number>();
  for (const word of words) of.set(word, (of.get(word) ?? 0) + 1);
  return { of, length: words.length };
}
