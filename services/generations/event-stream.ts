import { Readable } from 'node:stream';

/**
 * A generator of text as a stream of bytes. Unlike with `Readable.from`, a reader who leaves makes it return, whatever
 * the reason: to the generator there is no difference between a closed tab and a broken cable. It always begins, even
 * where nobody reads: a generator that never began would not come to its `finally`.
 */
export function createEventStream(events: AsyncGenerator<string>): Readable {
  let hasBegun = false;
  return new Readable({
    read() {
      hasBegun = true;
      events.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (error: unknown) => this.destroy(toError(error)),
      );
    },
    destroy(error, callback) {
      // Not waited for: it settles its generation, and whoever destroyed the stream has nothing to do with that.
      void leave(events, hasBegun);
      callback(error);
    },
  });
}

async function leave(events: AsyncGenerator<string>, hasBegun: boolean): Promise<void> {
  try {
    if (!hasBegun) await events.next();
    await events.return(undefined);
  } catch {
    // A generator that fails while it returns has said so where it could.
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('the stream failed', { cause: thrown });
}
