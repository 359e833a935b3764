import type { JobOutput, VideoJob } from '../../../domain/videos/video-job.ts';

export const JOB_ID = 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0';
export const GENERATION_ID = 'gen-1767225600000-K9l8M7n6O5p4Q3r2S1t0';
export const JOB_PATH = `/api/v1/videos/${JOB_ID}`;

export const pendingVideo: VideoJob = {
  id: JOB_ID,
  generationId: GENERATION_ID,
  organizationId: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
  workspaceId: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  keyId: 1,
  model: 'local/sketch',
  provider: 'local',
  status: 'pending',
  isByok: false,
  outputs: [],
  createdAt: new Date(0),
  deadlineAt: new Date(86_400_000),
};

export const videoOutput: JobOutput = {
  index: 0,
  objectKey: 'video',
  contentType: 'video/mp4',
  bytes: 1,
};
