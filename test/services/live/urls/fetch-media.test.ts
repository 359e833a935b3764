import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createBodiesInFlight } from '../../../../api/http/request/bodies-in-flight.ts';
import type { AppError } from '../../../../domain/errors.ts';
import type { OutboundGuard } from '../../../../platform/outbound-guard.ts';
import type { UnsupportedFieldsError } from '../../../../domain/unsupported-fields.ts';
import type { MediaKind } from '../../../../services/live/prompt/media-fields.ts';
import { fetchMedia } from '../../../../services/live/urls/fetch-media.ts';
import type { UrlPlace } from '../../../../services/live/urls/url-places.ts';
import { closeAfterEach, guardWith, resolverOf, serve } from '../../../platform/outbound-setup.ts';
import { eventually } from '../../../support/eventually.ts';

closeAfterEach();

const MIB = 1024 ** 2;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const NOT_FETCHED = 'could not be fetched as an image';

const sendPng: RequestListener = (_request, response) => response.end(PNG);
const places = (urls: string[], kind: MediaKind = 'image'): UrlPlace[] =>
  urls.map((url, i) => ({ path: ['messages', 0, 'content', i, `${kind}_url`, 'url'], url, kind }));

function fetchAll(
  guard: OutboundGuard,
  urls: string[],
  call: Partial<Parameters<typeof fetchMedia>[1]> & { kind?: MediaKind } = {},
) {
  const { signal } = new AbortController();
  const usual = { signal, client: { requestId: 'req_test' }, openMemory: () => ({ take() {} }) };
  return fetchMedia(guard, { ...usual, ...call }, places(urls, call.kind));
}

/** The issues of a request that must be refused. */
async function issuesOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return (error as UnsupportedFieldsError).issues ?? error;
}

const issue = (message: string, index = 0, kind = 'image') => [
  { path: `body.messages.0.content.${index}.${kind}_url.url`, message },
];

describe('media that a request names by URL', () => {
  test('keep their order', async () => {
    const { origin } = await serve((request, response) => {
      response.setHeader('content-type', 'image/svg+xml').end(request.url);
    });
    const urls = Array.from({ length: 16 }, (_, i) => `${origin}/${i}`);
    const media = await fetchAll(guardWith(), urls);
    expect(media.map(({ base64 }) => Buffer.from(base64, 'base64').toString())).toEqual(
      urls.map((_, i) => `/${i}`),
    );
    expect(media[0]!.mediaType).toBe('image/svg+xml');
  });

  test('follow redirects and send no credential', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const { origin } = await serve((request, response) => {
      seen.push(request.headers);
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else response.end(PNG);
    });
    expect(await fetchAll(guardWith(), [`${origin}/a`])).toEqual([
      { mediaType: 'image/png', base64: PNG.toString('base64') },
    ]);
    expect(seen).toHaveLength(2);
    for (const headers of seen) {
      expect(Object.keys(headers).toSorted()).toEqual(['connection', 'host', 'user-agent']);
    }
  });

  test('may number 16 at most; of 17 none is fetched', async () => {
    const { origin, connections } = await serve(sendPng);
    const urls = Array.from({ length: 17 }, () => origin);
    expect(await issuesOf(fetchAll(guardWith(), urls))).toEqual(
      issue('is one URL too many: the limit is 16 for the provider of this model', 16),
    );
    expect(connections()).toBe(0);
  });

  const TOO_LARGE = 'leads to more than the 20 MiB that all URLs of a request may have together';
  test.each([
    ['announced', true],
    ['not announced', false],
  ])('may have 20 MiB at most when the size is %s', async (_how, isAnnounced) => {
    const { origin } = await serve((_request, response) => {
      response.setHeader('content-type', 'video/mp4');
      if (isAnnounced) response.setHeader('content-length', 20 * MIB + 1);
      response.on('error', () => {}).end(Buffer.alloc(20 * MIB + 1));
    });
    const refused = fetchAll(guardWith(), [origin], { kind: 'video' });
    expect(await issuesOf(refused)).toEqual(issue(TOO_LARGE, 0, 'video'));
  });

  test('may have 20 MiB at most together', async () => {
    const { origin } = await serve((request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.alloc(Number(request.url!.slice(1)) * MIB));
    });
    expect(await fetchAll(guardWith(), [`${origin}/12`, `${origin}/8`])).toHaveLength(2);
    const [found] = (await issuesOf(fetchAll(guardWith(), [`${origin}/12`, `${origin}/9`]))) as object[];
    expect(found).toMatchObject({ message: TOO_LARGE });
  });
});

describe('a URL without usable media', () => {
  const answers = (status: number, body: string, type = 'text/html'): RequestListener => {
    return (_request, response) => response.writeHead(status, { 'content-type': type }).end(body);
  };

  test.each<[string, RequestListener]>([
    ['answers an error', answers(500, 'No')],
    ['answers a page', answers(200, '<html>')],
    ['answers nothing', answers(200, '', 'image/png')],
    ['redirects to itself', (_request, response) => response.writeHead(302, { location: '/' }).end()],
    [
      'redirects to a private address',
      (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    ],
    ['closes the connection', (request) => request.socket.destroy()],
    [
      'breaks off',
      (request, response) => {
        response.writeHead(200, { 'content-length': 100, 'content-type': 'image/png' }).write(PNG);
        setImmediate(() => request.socket.destroy());
      },
    ],
  ])('causes the same issue when its host %s', async (_what, listener) => {
    const { origin } = await serve(listener);
    expect(await issuesOf(fetchAll(guardWith(), [origin]))).toEqual(issue(NOT_FETCHED));
  });

  test.each<[string, () => Promise<string[]>]>([
    ['a private address', resolverOf(['10.0.0.1'])],
    ['the address of cloud metadata', resolverOf(['169.254.169.254'])],
    ['no address', () => Promise.reject(new Error('ENOTFOUND'))],
  ])('causes the same issue when its name has %s', async (_what, resolve) => {
    expect(await issuesOf(fetchAll(guardWith({ resolve }), ['https://inside.example/a']))).toEqual(
      issue(NOT_FETCHED),
    );
  });

  test('aborts the fetches of the other URLs', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const { origin } = await serve((request, response) => {
      if (request.url === '/slow') response.on('close', resolve);
      else setImmediate(() => response.writeHead(404).end());
    });
    expect(await issuesOf(fetchAll(guardWith(), [`${origin}/slow`, `${origin}/gone`]))).toEqual(
      issue(NOT_FETCHED, 1),
    );
    await left;
  });
});

test('a caller who disconnects ends the fetch', async () => {
  const arrived = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { origin } = await serve((_request, response) => {
    response.on('close', left.resolve);
    arrived.resolve();
  });
  const leaving = new AbortController();
  const fetching = issuesOf(fetchAll(guardWith(), [origin], { signal: leaving.signal }));
  await arrived.promise;
  leaving.abort();
  expect(await fetching).toMatchObject({ code: 'aborted', sent: false });
  await left.promise;
});

describe('the memory of bodies in flight', () => {
  /** A server that fetches one medium for each request; the room has space for one at a time. */
  async function serveFetches(mediaBytes: number) {
    const guard = guardWith();
    const { origin: mediaOrigin } = await serve((_request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.alloc(mediaBytes));
    });
    const bodies = createBodiesInFlight({ maxBytes: 8 * mediaBytes });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let fetched = 0;
    const { origin } = await serve((_request, response) => {
      const openMemory = () => bodies.open(response, 'an organization');
      fetchAll(guard, [mediaOrigin], { openMemory }).then(
        async () => {
          fetched += 1;
          await held;
          response.end('fetched');
        },
        (error: AppError) => response.end(`${error.code} ${error.options?.reason}`),
      );
    });
    const untilFetched = () => eventually('a fetch', async () => (fetched === 1 ? true : undefined));
    const ask = async (): Promise<string> => (await fetch(origin)).text();
    return { ask, origin, untilFetched, release };
  }

  test('counts fetched media for the organization until the response is sent', async () => {
    const { ask, untilFetched, release } = await serveFetches(MIB);
    const first = ask();
    await untilFetched();
    expect(await ask()).toBe('rate_limited too_many_bytes_of_organization');
    release();
    expect(await first).toBe('fetched');
    expect(await ask()).toBe('fetched');
  });

  test('becomes free when the caller disconnects', async () => {
    const { ask, origin, untilFetched, release } = await serveFetches(MIB);
    const leaving = new AbortController();
    const first = fetch(origin, { signal: leaving.signal }).catch((error: unknown) => error);
    await untilFetched();
    leaving.abort();
    await first;
    release();
    await eventually('memory', async () => ((await ask()) === 'fetched' ? true : undefined));
  });
});
