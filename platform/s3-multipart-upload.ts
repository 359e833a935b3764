/** Uploads one object to S3 in parts, and aborts it after a failure. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

export interface MultipartUpload {
  readonly started: boolean;
  /**
   * Uploads a part; the first one opens the upload. Resolves when S3 has the bytes, so that the buffer may be reused.
   */
  add(bytes: Buffer): Promise<void>;
  /** Completes the object. Does nothing if no part was added. */
  complete(): Promise<void>;
  /** Aborts the upload. It never throws, because it runs while another error is handled. */
  abort(): Promise<void>;
}

export function createMultipartUpload(
  client: S3Client,
  target: { Bucket: string; Key: string; ContentType: string },
): MultipartUpload {
  const { Bucket, Key } = target;
  const parts: { PartNumber: number; ETag: string | undefined }[] = [];
  let uploadId: string | undefined;

  return {
    get started() {
      return uploadId !== undefined;
    },
    async add(bytes) {
      uploadId ??= (await client.send(new CreateMultipartUploadCommand(target))).UploadId;
      const PartNumber = parts.length + 1;
      const answer = await client.send(
        new UploadPartCommand({ Bucket, Key, UploadId: uploadId, PartNumber, Body: bytes }),
      );
      parts.push({ PartNumber, ETag: answer.ETag });
    },
    async complete() {
      if (uploadId === undefined) return;
      await client.send(
        new CompleteMultipartUploadCommand({
          Bucket,
          Key,
          UploadId: uploadId,
          MultipartUpload: { Parts: parts },
        }),
      );
    },
    async abort() {
      if (uploadId === undefined) return;
      const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: uploadId });
      await client.send(command).catch(() => undefined);
    },
  };
}
