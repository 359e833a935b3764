/** Implements the object store on any S3 service. */
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { createByteMeter } from './byte-meter.ts';
import { assertObjectKey, assertRange } from './object-store.ts';
import type { ObjectRange, ObjectStore, ObjectStoreConfig } from './object-store.ts';
import { createMultipartUpload } from './s3-multipart-upload.ts';
import type { MultipartUpload } from './s3-multipart-upload.ts';

type S3Config = Extract<ObjectStoreConfig, { kind: 's3' }>;

const MEBIBYTE = 1024 * 1024;
/** The smallest part. S3 takes 10,000 parts, so this size reaches 78 GiB; a larger limit gets larger parts. */
const MIN_PART_BYTES = 8 * MEBIBYTE;
const MAX_PARTS = 10_000;

/**
 * Stores objects in a bucket of any S3 service. Bodies of unknown length are uploaded in parts, one at a time, so an
 * upload holds at most one part in memory. A process that dies leaves an unfinished multipart upload, which is no
 * object; a lifecycle rule of the bucket should abort those.
 */
export function createS3ObjectStore(config: S3Config): ObjectStore {
  const client = createClient(config);
  const address = (key: string) => {
    assertObjectKey(key);
    return { Bucket: config.bucket, Key: config.prefix === '' ? key : `${config.prefix}/${key}` };
  };

  return {
    async put(key, body, { contentType, maxBytes }) {
      const meter = createByteMeter(maxBytes);
      let upload: MultipartUpload | undefined;
      try {
        const target = { ...address(key), ContentType: contentType };
        upload = createMultipartUpload(client, target);
        for await (const part of splitIntoParts(meter.measure(body), partBytes(maxBytes))) {
          if (part.last && !upload.started) {
            await client.send(new PutObjectCommand({ ...target, Body: part.bytes }));
          } else {
            await upload.add(part.bytes);
          }
        }
        await upload.complete();
      } catch (error) {
        await upload?.abort();
        throw error;
      } finally {
        body.destroy();
      }
      return meter.result();
    },
    async open(key, range) {
      const target = address(key);
      try {
        const answer = await client.send(new GetObjectCommand({ ...target, Range: rangeHeader(range) }));
        return { body: answer.Body as Readable, bytes: totalBytes(answer) };
      } catch (error) {
        if (statusOf(error) === 404) return null;
        if (statusOf(error) === 416) throw new RangeError('The range lies outside the object');
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(address(key)));
    },
  };
}

function createClient(config: S3Config): S3Client {
  const { accessKeyId, secretAccessKey, endpoint } = config;
  // A download uses its socket until its reader is done. With the SDK's default of 50 sockets, slow readers would block
  // uploads.
  const agent = { keepAlive: true, maxSockets: 1_000 };
  return new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
    // Services other than AWS reject the SDK's own checksums. The signature covers each part's SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 10_000,
      // The timeout until the headers arrive. It does not limit the reading of bodies.
      requestTimeout: 120_000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

interface Part {
  /** Valid until the next part is read: all parts share one buffer. */
  bytes: Buffer;
  last: boolean;
}

/**
 * Splits a body into parts. All parts but the last have exactly the same size, which some services require. The last
 * may be empty.
 */
async function* splitIntoParts(body: AsyncIterable<Buffer>, size: number): AsyncGenerator<Part> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const chunk of body) {
    for (let offset = 0; offset < chunk.length;) {
      if (filled === size) {
        yield { bytes: buffer, last: false };
        filled = 0;
      }
      const copied = chunk.copy(buffer, filled, offset);
      filled += copied;
      offset += copied;
    }
  }
  yield { bytes: buffer.subarray(0, filled), last: true };
}

function partBytes(maxBytes: number | undefined): number {
  return Math.max(MIN_PART_BYTES, Math.ceil((maxBytes ?? 0) / MAX_PARTS));
}

/** Returns the Range header. Invalid ranges throw here, because S3 would answer them with the whole object. */
function rangeHeader(range: ObjectRange | undefined): string | undefined {
  if (range === undefined) return undefined;
  assertRange(range, Infinity);
  return `bytes=${range.start}-${range.end}`;
}

/** Returns the size of the whole object: in a ranged answer it follows the slash of Content-Range. */
function totalBytes(answer: {
  ContentRange?: string | undefined;
  ContentLength?: number | undefined;
}): number {
  const [, total] = /\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
  return Number(total ?? answer.ContentLength ?? 0);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}
