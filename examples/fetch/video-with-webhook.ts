/**
 * Submits a video job without a package, receives the signed webhook about its end, and saves the MP4. The receiver
 * listens on this computer, so the gateway must be allowed to call it. The gateway of `npm start` is.
 */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '../verify-webhook/verify-webhook.ts';

const videos = `${process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1'}/videos`;
const authorization = `Bearer ${process.env['API_KEY']}`;

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

const submitted = await fetch(videos, {
  method: 'POST',
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'local/clip-1',
    prompt: 'A paper boat crossing a rain puddle',
    callback_url: `http://127.0.0.1:${port}/hook`,
  }),
});
if (!submitted.ok) throw new Error(await submitted.text());
const { id } = (await submitted.json()) as { id: string };
console.log(`submitted ${id}`);

const event = await received.promise;
console.log(`${event.type}, signature verified`);
receiver.close();
receiver.closeAllConnections();

const content = await fetch(`${videos}/${event.data.id}/content`, { headers: { authorization } });
if (!content.ok) throw new Error(await content.text());
const file = process.env['OUTPUT'] ?? 'video.mp4';
await writeFile(file, await content.bytes());
console.log(`saved ${file}`);
