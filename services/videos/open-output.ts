/** Opens a finished video for download, whole or by a byte range. */
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { isTerminal } from '../../domain/videos/job.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import type { ObjectStore } from '../../platform/object-store.ts';

/** A range of bytes with inclusive positions, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Returns the range for a file of this size; undefined sends the whole file. May throw a 416. */
export type RangeRequest = (totalBytes: number) => ByteRange | undefined;

export interface OpenedContent {
  /** Opens the bytes. Call it once at most; a HEAD request does not call it. */
  open(): Promise<Readable>;
  /** The size of the whole file. */
  totalBytes: number;
  range?: ByteRange | undefined;
  contentType: string;
  index: number;
}

/**
 * Finds a stored output of a job. Throws 409 before it is ready, 410 after it has expired, and 404 for a job without
 * outputs or an unknown index.
 */
export async function openOutput(
  store: ObjectStore,
  job: VideoJob,
  index: number,
  rangeRequest?: RangeRequest,
): Promise<OpenedContent> {
  if (!isTerminal(job.status)) {
    throw new AppError('conflict', { reason: 'job_not_completed', retryable: true });
  }
  if (job.status !== 'completed') throw new AppError('not_found');
  if (job.outputsExpireAt === undefined || job.outputsExpireAt.getTime() <= Date.now()) {
    throw new AppError('gone');
  }
  const output = job.outputs.find((candidate) => candidate.index === index);
  if (output === undefined) throw new AppError('not_found');
  const range = rangeRequest?.(output.bytes);
  return {
    totalBytes: output.bytes,
    contentType: output.contentType,
    index,
    range,
    async open() {
      const opened = await store.open(output.objectKey, range);
      if (opened === null) throw new AppError('gone', { reason: 'output_missing' });
      return opened.body;
    },
  };
}
