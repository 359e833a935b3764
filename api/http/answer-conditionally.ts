import { entityTagOf, listedTag } from './entity-tag.ts';
import { ReadyJson } from './ready-json.ts';

/** An answer that can be sent any number of times. */
export interface PreparedAnswer {
  etag: string;
  body: ReadyJson;
}

type Asked = { 'if-none-match'?: string | undefined };

/** @param text JSON. */
export function prepareAnswer(text: string): PreparedAnswer {
  return { etag: entityTagOf(text), body: new ReadyJson([Buffer.from(text)]) };
}

/** A body with its validator, or that nothing changed. It may be kept, and must be asked about before it is used again. */
export function answerConditionally(headers: Asked, body: object) {
  return answerPrepared(headers, prepareAnswer(JSON.stringify(body)));
}

/** The same for what was prepared. */
export function answerPrepared(headers: Asked, { etag, body }: PreparedAnswer) {
  const known = listedTag(headers['if-none-match'], etag);
  const caching = { 'cache-control': 'private, no-cache' };
  return known === undefined
    ? ({ status: 200, headers: { etag, ...caching }, body } as const)
    : ({ status: 304, headers: { etag: known, ...caching } } as const);
}
