/** Defines the interface of the store for media files, with its errors and key rules. */
import type { Readable } from 'node:stream';

/** A range of inclusive byte positions, as in HTTP. */
export interface ObjectRange {
  start: number;
  end: number;
}

export interface PutOptions {
  contentType: string;
  /** The most bytes. A longer body rejects with ObjectTooLargeError and stores nothing. */
  maxBytes?: number;
}

/**
 * A store for media: a directory or an S3 bucket. Keys are slash-separated names of letters, digits, `.`, `_` and `-`,
 * of at most 512 characters. No name starts with a dot. Any other key throws InvalidObjectKeyError.
 */
export interface ObjectStore {
  /**
   * Stores the whole body or nothing; a reader never sees a part. An existing object is replaced, so a retry is
   * harmless. Memory use does not depend on the length. `sha256` is lower-case hex. The body is read to its end or
   * destroyed.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<{ bytes: number; sha256: string }>;
  /**
   * Opens an object; null if it does not exist. `bytes` is the whole size, also for a range. An end past the last byte
   * is cut to it; a start past it throws RangeError. The caller must read the body or destroy it.
   */
  open(key: string, range?: ObjectRange): Promise<{ body: Readable; bytes: number } | null>;
  /** Deletes an object. Succeeds also if it does not exist. */
  delete(key: string): Promise<void>;
}

export type ObjectStoreConfig =
  | { kind: 'file'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      /** A prefix without slashes at its ends; empty: keys begin at the root of the bucket. */
      prefix: string;
      /** Set for services other than AWS: MinIO, Ceph, R2… */
      endpoint?: string | undefined;
      region: string;
      /** Absent: the AWS SDK finds credentials itself (environment, profile, instance role). */
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

/** Throws for a key that could leave its store or name the store's internal files, which start with a dot. */
export function assertObjectKey(key: string): void {
  if (key.length > 512 || !KEY_PATTERN.test(key)) throw new InvalidObjectKeyError();
}

/** Throws RangeError for an invalid range, or one that starts outside an object of `bytes`. */
export function assertRange(range: ObjectRange, bytes: number): void {
  if (range.start < 0 || range.start >= bytes || range.end < range.start) {
    throw new RangeError('The range lies outside the object');
  }
}
