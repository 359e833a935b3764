/** Computes the entity tags of bodies, and compares them with `If-None-Match`. */
import { createHash } from 'node:crypto';
import type { Coding } from '../../platform/ready-json.ts';

/** Content codings, in order of preference. */
export const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Returns a strong entity tag of a body. It changes with every byte. */
export function entityTagOf(text: string): string {
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
export function listedTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
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
