/** Calls the API of the running stack for the demo and other laptop commands. */
import type { z } from 'zod';
import {
  acceptedVideo,
  video,
  videoModelList,
  type AcceptedVideo,
  type Video,
} from '../../contract/videos/video.ts';
import type { DevFile } from '../stack/dev-file.ts';
import { StackError } from '../stack-error.ts';

/** The calls that the laptop commands make. Each throws a StackError with an unexpected answer. */
export interface SluiceClient {
  /** Returns a free local model, even if the deployment has others. */
  localModel(): Promise<string>;
  submitVideo(body: { model: string; prompt: string; callback_url: string }): Promise<AcceptedVideo>;
  getVideo(jobId: string): Promise<Video>;
}

const REQUEST_TIMEOUT_MS = 30_000;

export function createSluiceClient(facts: DevFile): SluiceClient {
  const call = async <T>(method: string, path: string, answer: z.ZodType<T>, body?: unknown): Promise<T> => {
    const response = await fetch(`${facts.base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${facts.api_key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new StackError(`${method} ${path} answered ${response.status}: ${text}`);
    return answer.parse(JSON.parse(text));
  };
  return {
    async localModel() {
      const { data } = await call('GET', '/videos/models', videoModelList);
      const local = data.find((model) => model.id.startsWith('local/'));
      if (local === undefined) throw new StackError('The catalog has no video model of the local upstream.');
      return local.id;
    },
    submitVideo: (body) => call('POST', '/videos', acceptedVideo, body),
    getVideo: (jobId) => call('GET', `/videos/${jobId}`, video),
  };
}
