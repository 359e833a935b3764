/** Translates the pieces of one stream to another dialect. Each stream needs a translator of its own. */
export interface StreamTranslator<From, To> {
  translate(piece: From): To[];
  /** Returns the remaining pieces at the end of the stream. */
  end(): To[];
}

/**
 * Translates a stream to another dialect. Returns an explicit iterator: a generator that never started would not pass
 * `return` on, and the upstream's connection would stay open.
 */
export function translateStream<From, To>(
  stream: AsyncIterable<From[]>,
  translator: StreamTranslator<From, To>,
): AsyncIterableIterator<To[]> {
  const pieces = stream[Symbol.asyncIterator]();
  let hasEnded = false;
  /**
   * Translates pieces that arrived. On a failure it closes the upstream itself, because a consumer does not call
   * `return` after an error.
   */
  const translated = async (value: From[]): Promise<To[]> => {
    try {
      return value.flatMap((piece) => translator.translate(piece));
    } catch (error) {
      hasEnded = true;
      await pieces.return?.();
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      while (!hasEnded) {
        const { done, value } = await pieces.next();
        const output = done === true ? translator.end() : await translated(value);
        hasEnded = done === true;
        if (output.length > 0) return { done: false, value: output };
      }
      return { done: true, value: undefined };
    },
    async return() {
      hasEnded = true;
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  };
}
