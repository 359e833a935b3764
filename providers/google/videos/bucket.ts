/** Downloads videos that Google put into a bucket. */
import type { CallContext } from '../../call-context.ts';
import { createProviderHttp, type ProviderHttpOptions } from '../../http.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { invalidResponse } from '../../transport-failure.ts';
import type { OpenedOutput } from '../../video-adapter.ts';
import { opened } from './files.ts';

const OBJECT = /^gs:\/\/([a-z0-9._-]{3,222})\/(.+)$/;

/**
 * Opens an object such as `gs://bucket/name.mp4` with the project's token, over the JSON API of Cloud Storage. Another
 * server than Google's has it below its own address. Throws ProviderError, also for any other location.
 */
export async function openBucketObject(
  location: string,
  vertexUrl: string,
  { outbound, ...options }: Omit<ProviderHttpOptions, 'baseUrl'> & { outbound: OutboundFetch },
  context: CallContext,
): Promise<OpenedOutput> {
  const [, bucket, name] = OBJECT.exec(location) ?? [];
  if (bucket === undefined || name === undefined)
    throw invalidResponse(200, new Error('a location outside of a bucket'));
  const { hostname, origin } = new URL(vertexUrl);
  const storage = hostname.endsWith('.googleapis.com') ? 'https://storage.googleapis.com' : origin;
  const http = createProviderHttp({ ...options, baseUrl: `${storage}/storage/v1` });
  const path = `b/${bucket}/o/${encodeURIComponent(name)}?alt=media`;
  return opened(await http.openFile(path, context), outbound, context);
}
