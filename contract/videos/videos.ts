import { z } from 'zod';
import { contentHeaders, sessionHeaders } from '../headers.ts';
import { defineOperation } from '../operation.ts';
import { moment } from '../moment.ts';
import { pageQuery, queryInteger } from '../query-values.ts';
import { text } from '../text.ts';
import { acceptedVideo, jobParams, jobStatus, video, videoList, videoModelList } from './video.ts';
import * as examples from './video-examples.ts';
import { videoRequest } from './video-request.ts';

const tag = 'Videos';

/** The longest wait in seconds. Proxies and load balancers usually close a connection without an answer after 30. */
const MAX_WAIT = 25;

const contentResponses = {
  200: {
    description: 'The whole file.',
    mediaType: 'video/mp4',
    headers: {
      ETag: 'Never changes for an output.',
      'Accept-Ranges': 'Always `bytes`.',
      'Content-Disposition': 'Proposes a file name.',
    },
  },
  206: {
    description: 'The requested byte range.',
    mediaType: 'video/mp4',
    headers: { 'Content-Range': 'Which bytes of how many.' },
  },
  304: { description: 'The client has it already.' },
} as const;

export const createVideo = defineOperation({
  id: 'createVideo',
  method: 'post',
  path: '/videos',
  access: 'generation',
  errorMessages: 'exact',
  tag,
  summary: 'Submit a video generation job',
  description:
    'Accepts the job and answers at once. Poll `polling_url`, or give a `callback_url` to receive a webhook when the job ends.',
  headers: sessionHeaders,
  body: { schema: videoRequest, limit: 'generation', examples: examples.videoRequests },
  rateLimit: 'generation',
  idempotent: true,
  responses: {
    202: {
      description: 'The job is accepted.',
      schema: acceptedVideo,
      headers: { 'Idempotent-Replayed': '`true` when the answer is that of an earlier request.' },
      example: examples.acceptedVideo,
    },
  },
  errors: [402, 404, 499],
});

export const listVideos = defineOperation({
  id: 'listVideos',
  method: 'get',
  path: '/videos',
  access: 'read',
  tag,
  summary: 'List video jobs',
  description: "The jobs of the key's workspace, newest first.",
  query: z.object({
    ...pageQuery,
    status: jobStatus.optional().meta({ description: 'Only jobs in this state.' }),
    model: text({ min: 1, max: 256 }).optional().meta({
      description: 'Only jobs of this model: its id, canonical slug or alias.',
    }),
    created_after: moment.optional().meta({ description: 'Only jobs accepted at this time or later.' }),
    created_before: moment.optional().meta({ description: 'Only jobs accepted before this time.' }),
  }),
  responses: {
    200: { description: 'One page of jobs.', schema: videoList, example: examples.videoList },
  },
  errors: [],
});

export const listVideoModels = defineOperation({
  id: 'listVideoModels',
  method: 'get',
  path: '/videos/models',
  access: 'any',
  tag,
  summary: 'List video models',
  description: 'The models that can be asked for now, with what each accepts and costs.',
  responses: {
    200: { description: 'All of them.', schema: videoModelList, example: examples.videoModelList },
  },
  errors: [400],
});

export const getVideo = defineOperation({
  id: 'getVideo',
  method: 'get',
  path: '/videos/{jobId}',
  access: 'read',
  tag,
  summary: 'Get a video job',
  description:
    'Answers at once, or with `wait` when `status` changes. A change of `progress` alone does not end the wait, nor does a job that has ended begin one. An answer may come earlier when the gateway restarts: look at `status`, and ask again.',
  params: jobParams,
  query: z.object({
    wait: queryInteger({ min: 0, max: MAX_WAIT }).default(0).meta({
      description: 'The longest time, in seconds, to wait for another `status`.',
    }),
  }),
  responses: {
    200: {
      description: 'The job as it is now.',
      schema: video,
      headers: { 'Retry-After': 'While the job is open: in how many seconds to ask again.' },
      example: examples.completedVideo,
    },
  },
  errors: [403, 404],
});

export const cancelVideo = defineOperation({
  id: 'cancelVideo',
  method: 'post',
  path: '/videos/{jobId}/cancel',
  access: 'read',
  tag,
  summary: 'Cancel a video job',
  description:
    'Requests that the job ends, and that the provider stops if it can. Repeating the request is harmless. A job that has ended otherwise is a 409. A cancelled job costs the amount that the provider reports for it, if any, and its price if the provider makes the video all the same. It costs nothing if it was not submitted yet, or if the provider could not be asked. A cancellation is too late while the finished file is being stored: the job completes and is billed.',
  params: jobParams,
  responses: {
    200: {
      description: 'The job. It is cancelled, or will be unless its file is finished already.',
      schema: video,
      example: examples.openVideo,
    },
  },
  errors: [404, 409],
});

export const getVideoContent = defineOperation({
  id: 'getVideoContent',
  method: 'get',
  path: '/videos/{jobId}/content',
  access: 'read',
  tag,
  summary: 'Download an output',
  description:
    'The bytes of one output. HEAD answers the headers alone. 409 until the job has completed, 410 once the output has expired.',
  params: jobParams,
  query: z.object({ index: queryInteger({ min: 0 }).default(0).meta({ description: 'Which output.' }) }),
  headers: contentHeaders,
  responses: contentResponses,
  errors: [403, 404, 409, 410, 416, 502],
});

export const getVideoOutput = defineOperation({
  id: 'getVideoOutput',
  method: 'get',
  path: '/videos/{jobId}/outputs/{index}',
  access: 'signed',
  tag,
  summary: 'Download an output by signed URL',
  description:
    'The target of the entries of `urls`; needs no API key. An altered URL is a 404, an expired one a 410; before the job has completed it is a 409.',
  params: jobParams.extend({ index: queryInteger({ min: 0 }) }),
  query: z.object({
    expires: z.string().meta({ description: 'Unix seconds.' }),
    signature: z.string(),
  }),
  headers: contentHeaders,
  responses: contentResponses,
  errors: [404, 409, 410, 416, 502],
});
