/** Parses the variable that says where media are stored. */
import type { Rule } from './config-rules.ts';
import { absolutePath } from './config-rules.ts';

export type ObjectStoreLocation =
  { kind: 'file'; directory: string } | { kind: 's3'; bucket: string; prefix: string };

const S3_PATTERN = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+([A-Za-z0-9_-][A-Za-z0-9._/-]*?))?\/*$/;

/** Parses `file:///var/lib/sluice`, or `s3://bucket` with an optional prefix. */
export const objectStoreLocation: Rule<ObjectStoreLocation> = (text) => {
  if (text.startsWith('file://')) return { kind: 'file', directory: absolutePath(text) };
  const [, bucket, prefix = ''] = S3_PATTERN.exec(text) ?? [];
  if (bucket === undefined) throw new TypeError('must be file:///<directory> or s3://<bucket>/<prefix>');
  return { kind: 's3', bucket, prefix };
};
