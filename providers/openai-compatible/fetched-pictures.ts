/** Fetches the pictures that a stream names by URLs. */
import type { ImageEvent, MadeImage } from '../image-adapter.ts';

/** A finished picture that the vendor names by a URL. */
export type PictureAtUrl = Omit<Extract<ImageEvent, { type: 'completed' }>, 'type' | 'image'> & {
  type: 'url';
  url: string;
};

type FetchPicture = (url: string) => Promise<MadeImage>;

/**
 * Replaces each picture at a URL by the picture itself. Resolves with the first events, so that the first picture that
 * cannot be fetched fails before anything is passed on. A later one fails the stream after the events before it.
 */
export async function fetchPictures(
  events: AsyncIterable<(ImageEvent | PictureAtUrl)[]>,
  fetchPicture: FetchPicture,
): Promise<AsyncIterable<ImageEvent[]>> {
  const iterator = events[Symbol.asyncIterator]();
  let failure: { reason: unknown } | undefined;

  async function next(): Promise<IteratorResult<ImageEvent[], undefined>> {
    if (failure !== undefined) throw failure.reason;
    const { done, value: arrived } = await iterator.next();
    if (done === true) return { done, value: undefined };
    const fetched = await Promise.allSettled(arrived.map((event) => withPicture(event, fetchPicture)));
    const value: ImageEvent[] = [];
    for (const event of fetched) {
      if (event.status === 'rejected') {
        failure = event;
        await iterator.return?.();
        break;
      }
      value.push(event.value);
    }
    if (failure !== undefined && value.length === 0) throw failure.reason;
    return { done: false, value };
  }

  let first: IteratorResult<ImageEvent[], undefined> | undefined = await next();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = first ?? next();
        first = undefined;
        return result;
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

async function withPicture(
  event: ImageEvent | PictureAtUrl,
  fetchPicture: FetchPicture,
): Promise<ImageEvent> {
  if (event.type !== 'url') return event;
  const { url, ...rest } = event;
  return { ...rest, type: 'completed', image: await fetchPicture(url) };
}
