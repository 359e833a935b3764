/** Builds the keys under which batches are stored in a customer's bucket. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import type { PathVariable } from '../../../domain/broadcast/destination-patterns.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';

type Config = Pick<DestinationConfigs['s3'], 'prefix' | 'pathTemplate'>;

/** The length to which the name of a key is cut, because an object's key has at most 1,024 bytes. */
const MAX_NAME_LENGTH = 64;

/** Returns the folder of a span's object, by the UTC day on which the span began. */
export function objectFolder(span: BroadcastSpan, { prefix, pathTemplate }: Config): string {
  const date = new Date(span.startedAtMs).toISOString().slice(0, 10);
  const [year = '', month = '', day = ''] = date.split('-');
  const values: Record<PathVariable, string> = {
    prefix,
    date,
    year,
    month,
    day,
    apiKeyName: escapeSegment(span.identity?.apiKeyName ?? ''),
  };
  return pathTemplate.replace(/\{(\w+)\}/g, (text, name: string) =>
    Object.hasOwn(values, name) ? values[name as PathVariable] : text,
  );
}

/** Joins a folder and a name. Empty, `.` and `..` segments are left out: some tools cannot open such keys. */
export function objectKey(folder: string, name: string): string {
  const segments = folder.split('/').filter((segment) => !['', '.', '..'].includes(segment));
  return [...segments, name].join('/');
}

/** Escapes a name so that it stays one segment. */
function escapeSegment(name: string): string {
  const characters = Array.from(name.toWellFormed()).slice(0, MAX_NAME_LENGTH).join('');
  return encodeURIComponent(characters).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
