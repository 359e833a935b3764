/** Answers with 304 when the client already has the current body, and otherwise with the body and its entity tag. */
import { entityTagOf, listedTag } from './entity-tag.ts';
import { ReadyJson } from '../../platform/ready-json.ts';

/** An answer that can be sent repeatedly. */
export interface PreparedAnswer {
  etag: string;
  body: ReadyJson;
}

type ConditionalHeaders = { 'if-none-match'?: string | undefined };

/**
 * Prepares an answer.
 * @param text JSON.
 */
export function prepareAnswer(text: string): PreparedAnswer {
  return { etag: entityTagOf(text), body: new ReadyJson([Buffer.from(text)]) };
}

/** Answers with a body and its entity tag, or with 304. Clients may cache it, but must revalidate it before use. */
export function answerConditionally(headers: ConditionalHeaders, body: object) {
  return answerPrepared(headers, prepareAnswer(JSON.stringify(body)));
}

/** Answers with a prepared body, or with 304. */
export function answerPrepared(headers: ConditionalHeaders, { etag, body }: PreparedAnswer) {
  const known = listedTag(headers['if-none-match'], etag);
  const caching = { 'cache-control': 'private, no-cache' };
  return known === undefined
    ? ({ status: 200, headers: { etag, ...caching }, body } as const)
    : ({ status: 304, headers: { etag: known, ...caching } } as const);
}
