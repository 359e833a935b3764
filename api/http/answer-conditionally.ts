/** Answers with 304 when the client already has the current body, and otherwise with the body and its entity tag. */
import { createHash } from 'node:crypto';
import { type Coding, ReadyJson } from '../../platform/ready-json.ts';

/** Content codings, in order of preference. */
export const CODINGS: readonly Coding[] = ['br', 'gzip'];

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

/** Returns a strong entity tag of a body. It changes with every byte. */
function entityTagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Returns the tag of a body in this coding. A weak tag stands for all codings (RFC 9110, 8.8.3). */
export function codedTag(tag: string, coding: Coding): string {
  return tag.startsWith('W/') ? tag : tag.replace(/"$/, `-${coding}"`);
}

/** Returns whether an `If-None-Match` names the tag (RFC 9110, 13.1.2). */
export function isListed(ifNoneMatch: string | undefined, etag: string): boolean {
  return listedOf(ifNoneMatch, [etag]) !== undefined;
}

/** Returns the tag in an `If-None-Match` that matches the body in any coding; undefined if none does. */
function listedTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  return listedOf(ifNoneMatch, [etag, ...CODINGS.map((coding) => codedTag(etag, coding))]);
}

function listedOf(ifNoneMatch: string | undefined, tags: string[]): string | undefined {
  for (const listed of ifNoneMatch?.split(',') ?? []) {
    const tag = listed.trim().replace(/^W\//, '');
    if (tag === '*') return tags[0];
    if (tags.includes(tag)) return tag;
  }
  return undefined;
}
