/** Handles downloads of video files by signed URL. */
import { operations } from '../../contract/operations.ts';
import { AppError } from '../../domain/errors.ts';
import { outputPath } from './present-video.ts';
import { defineRoute } from '../http/route.ts';
import { answerContent } from './answer-content.ts';

/** Checks the signature first, so that callers without a valid one learn nothing. */
export const getVideoOutput = defineRoute(operations.getVideoOutput, async (call, { services }) => {
  const { jobId, index } = call.params;
  const verdict = services.urlSigner.verify(outputPath(jobId, index), call.query);
  if (verdict === 'bad') throw new AppError('not_found');
  if (verdict === 'expired') throw new AppError('gone');
  return answerContent(call, `${jobId}-${index}`, (range) =>
    services.videos.openContent({ signed: true }, jobId, index, range),
  );
});
