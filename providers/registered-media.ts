/** Corrects the types of media in requests. */
import { type Fields, isFields } from '../domain/fields.ts';
import { registeredType, registeredUrl } from '../domain/live/media-url.ts';
import type { TextRequest } from './chat-adapter.ts';

/** The fields of parts and blocks, in every dialect, that may hold a data URL. */
const URLS = new Set(['url', 'image_url', 'file_data', 'file_url']);
/** The fields that hold parts or blocks, or describe a medium. */
const HOLDERS = new Set(['content', 'output', 'source', 'image_url', 'file']);

/**
 * Returns a request with `image/jpeg` for `image/jpg` in its messages, its input or its system prompt, because vendors
 * reject the unregistered type. What needs no change stays the same object.
 */
export function withRegisteredMedia<Request extends TextRequest>(request: Request): Request {
  let changed: Request | undefined;
  for (const name of ['messages', 'input', 'system']) {
    const value = request[name];
    const registered = Array.isArray(value) ? listOf(value as unknown[]) : value;
    if (registered !== value) changed = { ...(changed ?? request), [name]: registered };
  }
  return changed ?? request;
}

function listOf(list: unknown[]): unknown[] {
  const changed = list.map((item) => (isFields(item) ? fieldsOf(item) : item));
  return changed.every((item, at) => item === list[at]) ? list : changed;
}

function fieldsOf(fields: Fields): Fields {
  let changed: Fields | undefined;
  for (const name in fields) {
    const registered = valueOf(name, fields[name]);
    if (registered !== fields[name]) (changed ??= { ...fields })[name] = registered;
  }
  return changed ?? fields;
}

function valueOf(name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    if (name === 'media_type') return registeredType(value);
    return URLS.has(name) ? registeredUrl(value) : value;
  }
  if (!HOLDERS.has(name)) return value;
  if (Array.isArray(value)) return listOf(value as unknown[]);
  return isFields(value) ? fieldsOf(value) : value;
}
