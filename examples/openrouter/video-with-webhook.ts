/**
 * Submits a video job with the `@openrouter/sdk` package, receives the signed webhook about its end, and saves the MP4.
 * The receiver listens on this computer, so the gateway must be allowed to call it. The gateway of `npm start` is.
 */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OpenRouter } from '@openrouter/sdk';
import { verifyWebhook } from '../verify-webhook/verify-webhook.ts';

const client = new OpenRouter({
  serverURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['API_KEY'] ?? '',
});

interface VideoEvent {
  type: string;
  data: { id: string };
}

const received = Promise.withResolvers<VideoEvent>();
const receiver = createServer(async (request, response) => {
  const body = await text(request);
  const secret = process.env['WEBHOOK_SECRET'] ?? '';
  if (!verifyWebhook({ secret, headers: request.headers, body })) {
    response.writeHead(401).end();
    return;
  }
  // Answer first: the gateway sends an event again if it gets no answer within seconds.
  response.writeHead(204).end();
  received.resolve(JSON.parse(body) as VideoEvent);
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo;

const { id } = await client.videoGeneration.generate({
  videoGenerationRequest: {
    model: 'local/clip-1',
    prompt: 'A paper boat crossing a rain puddle',
    callbackUrl: `http://127.0.0.1:${port}/hook`,
  },
});
console.log(`submitted ${id}`);

const event = await received.promise;
console.log(`${event.type}, signature verified`);
receiver.close();
receiver.closeAllConnections();

const content = await client.videoGeneration.getVideoContent({ jobId: event.data.id });
const file = process.env['OUTPUT'] ?? 'video.mp4';
await writeFile(file, content);
console.log(`saved ${file}`);
