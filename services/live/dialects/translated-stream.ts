/** Says the pieces of a stream in another dialect. One is made for each stream. */
export interface StreamTranslator<From, To> {
  translate(piece: From): To[];
  /** What is still to be said when the stream has come to its end. */
  end(): To[];
}

/**
 * A stream in another dialect. An explicit iterator rather than a generator: a generator that never began would not
 * hand `return` on, and the upstream's connection would stay open.
 */
export function translateStream<From, To>(
  stream: AsyncIterable<From[]>,
  translator: StreamTranslator<From, To>,
): AsyncIterableIterator<To[]> {
  const pieces = stream[Symbol.asyncIterator]();
  let hasEnded = false;
  /** Whoever iterates does not return from what has failed: the upstream has to be left here. */
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
        const said = done === true ? translator.end() : await translated(value);
        hasEnded = done === true;
        if (said.length > 0) return { done: false, value: said };
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
