import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

export interface MultipartUpload {
  readonly started: boolean;
  /** Opens the upload with the first part. Resolves when S3 has the bytes, so that the buffer may be reused. */
  add(bytes: Buffer): Promise<void>;
  /** The object appears, whole. Nothing to do when no part was added. */
  complete(): Promise<void>;
  /** Never throws: it runs while another error is on its way to the caller. */
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
