import type { Readable } from 'node:stream';

/** Inclusive byte positions, as in HTTP. */
export interface ObjectRange {
  start: number;
  end: number;
}

export interface PutOptions {
  contentType: string;
  /** A longer body rejects with ObjectTooLargeError and stores nothing. */
  maxBytes?: number;
}

/**
 * Where media lies: a directory or an S3 bucket. Keys are slash-separated names of letters, digits, `.`, `_`
 * and `-`, none starting with a dot, 512 characters at most; any other key throws InvalidObjectKeyError.
 */
export interface ObjectStore {
  /**
   * Stores the whole body or nothing, however it ends; a reader never sees a part. An object already there
   * is replaced, so a retry is harmless. Memory stays flat, whatever the length. `sha256` is lower-case hex.
   * The body is read to its end or destroyed.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<{ bytes: number; sha256: string }>;
  /**
   * Null when there is no such object. `bytes` is its whole size, also when a range is asked for; an end past
   * the last byte is cut to it, a start past it throws RangeError. Read the body or destroy it.
   */
  open(key: string, range?: ObjectRange): Promise<{ body: Readable; bytes: number } | null>;
  /** Succeeds as well when there is nothing to delete. */
  delete(key: string): Promise<void>;
}

export type ObjectStoreConfig =
  | { kind: 'file'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      /** Without slashes at its ends; empty puts keys at the root of the bucket. */
      prefix: string;
      /** For anything but AWS: MinIO, Ceph, R2… */
      endpoint?: string | undefined;
      region: string;
      /** Without both, the AWS SDK looks for credentials itself (environment, profile, instance role). */
      accessKeyId?: string | undefined;
      secretAccessKey?: string | undefined;
      forcePathStyle: boolean;
    };

export class ObjectTooLargeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The object is longer than ${maxBytes} bytes`);
    this.name = 'ObjectTooLargeError';
    this.maxBytes = maxBytes;
  }
}

export class InvalidObjectKeyError extends Error {
  constructor() {
    super('The object key is not valid');
    this.name = 'InvalidObjectKeyError';
  }
}

const KEY_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** No key can climb out of its store, nor name the store's own bookkeeping, which starts with a dot. */
export function assertObjectKey(key: string): void {
  if (key.length > 512 || !KEY_PATTERN.test(key)) throw new InvalidObjectKeyError();
}

/** Throws RangeError for a range that starts outside an object of `bytes`, or is none. */
export function assertRange(range: ObjectRange, bytes: number): void {
  if (range.start < 0 || range.start >= bytes || range.end < range.start) {
    throw new RangeError('The range lies outside the object');
  }
}
