import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from '../../../api/http/server.ts';
import { openRaw } from '../support/raw-request.ts';
import { serveApi } from '../support/serve-api.ts';

const listVideos = 'GET /api/v1/videos HTTP/1.1\r\nHost: gateway\r\nX-Api-Key: regular-key\r\n\r\n';

/** An API whose list of videos answers when the test says so. */
async function serveHeldList() {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const api = await serveApi({
    videos: {
      list: async () => {
        entered.resolve();
        await release.promise;
        return { jobs: [], totalCount: 0 };
      },
    },
  });
  return { api, entered: entered.promise, release: release.resolve };
}

/** Long enough for the server to have looked for idle connections a few times. */
function looks(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
}

describe('a server that gives clients time to reconnect', () => {
  test('answers one more request of an idle connection, and then closes it', async () => {
    const api = await serveApi();
    const health = 'GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n';
    const idle = openRaw(api.port);
    idle.socket.write(health);
    await idle.until('"ok"');
    api.allowTimeToReconnect();
    const stopped = api.close(60_000);
    await looks();
    idle.socket.write(health);
    const answers = await idle.closed;
    expect(answers.split('"ok"')).toHaveLength(3);
    expect(answers.match(/connection: (keep-alive|close)/gi)).toEqual([
      'Connection: keep-alive',
      'Connection: close',
    ]);
    await stopped;
  });

  test('closes a connection that stays idle', async () => {
    const api = await serveApi();
    const idle = openRaw(api.port);
    await idle.connected;
    api.allowTimeToReconnect();
    const stopped = api.close(60_000);
    await idle.closed;
    await stopped;
  });
});

describe('the stop of a server', () => {
  test('finishes requests in flight, closes idle connections and refuses new ones', async () => {
    const { api, entered, release } = await serveHeldList();
    const idle = openRaw(api.port);
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await idle.until('"ok"');
    const busy = openRaw(api.port);
    busy.socket.write(listVideos);
    await entered;

    const stopped = api.close(60_000);
    await idle.closed;
    await expect(fetch(`${api.origin}/healthz`)).rejects.toThrow();
    release();
    expect(await busy.closed).toContain('"total_count":0');
    await stopped;
  });

  test('cuts off unfinished requests at the deadline', async () => {
    const { api, entered, release } = await serveHeldList();
    const busy = openRaw(api.port);
    busy.socket.write(listVideos);
    await entered;
    const stopped = api.close(1);
    expect(await busy.closed).toBe('');
    release();
    await stopped;
  });

  test('ends at the deadline although a handler never returns', async () => {
    const entered = Promise.withResolvers<void>();
    const server = createServer(() => {
      entered.resolve();
      return new Promise(() => {});
    });
    const port = await server.listen(0, '127.0.0.1');
    const busy = openRaw(port);
    busy.socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await entered.promise;
    await server.close(1);
    expect(await busy.closed).toBe('');
  });

  test('sends an ended response in full to a slow reader', async () => {
    const large = 'x'.repeat(16 * 1024 ** 2);
    const ended = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      response.end(large);
      ended.resolve();
    });
    const port = await server.listen(0, '127.0.0.1');
    const slow = openRaw(port);
    slow.socket.pause();
    slow.socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await ended.promise;
    const stopped = server.close(60_000);
    await looks();
    slow.socket.resume();
    expect((await slow.closed).length).toBeGreaterThan(large.length);
    await stopped;
  });

  test('answers requests that arrived on kept connections before it', async () => {
    const server = createServer((_request, response) => void response.end('answered'));
    const port = await server.listen(0, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n';
    const kept = Array.from({ length: 5 }, () => openRaw(port));
    for (const each of kept) each.socket.write(request);
    await Promise.all(kept.map((each) => each.until('answered')));
    for (const each of kept) each.socket.write(request);
    const stopped = server.close(60_000);
    for (const each of kept) expect((await each.closed).split('answered')).toHaveLength(3);
    await stopped;
  });

  test.each([
    ['whose request was answered before its body came', 'POST', 'Content-Length: 4\r\n', 'body'],
    ['over which something came that is no request', 'GET', '', '\r\n'],
  ])('closes at once a connection %s', async (_which, method, header, late) => {
    const server = createServer((_request, response) => void response.end('answered'));
    const port = await server.listen(0, '127.0.0.1');
    const { socket, until, closed } = openRaw(port);
    socket.write(`${method} / HTTP/1.1\r\nHost: gateway\r\n${header}\r\n`);
    await until('answered');
    socket.write(late);
    await looks();
    const stopped = server.close(60_000);
    await closed;
    await stopped;
  });

  test('waits until the handlers of cut-off requests return', async () => {
    const seen: string[] = [];
    const server = createServer(async (_request, response) => {
      response.write('one');
      await once(response, 'close');
      await delay(100);
      seen.push('done');
    });
    const port = await server.listen(0, '127.0.0.1');
    const open = Array.from({ length: 10 }, () => openRaw(port));
    for (const each of open) each.socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await Promise.all(open.map((each) => each.until('one')));
    await server.close(1);
    seen.push('closed');
    expect(seen).toEqual([...open.map(() => 'done'), 'closed']);
  });

  test('closes at once a connection that never sent a byte', async () => {
    const { api } = await serveHeldList();
    const silent = openRaw(api.port);
    await silent.connected;
    const stopped = api.close(60_000);
    expect(await silent.closed).toBe('');
    await stopped;
  });

  test('resolves for each of several calls', async () => {
    const { api } = await serveHeldList();
    await Promise.all([api.close(), api.close()]);
    await api.close();
  });
});

test('listening on a port in use rejects with EADDRINUSE', async () => {
  const { createServer } = await import('../../../api/http/server.ts');
  const { api } = await serveHeldList();
  await expect(createServer(() => {}).listen(api.port, '127.0.0.1')).rejects.toThrow(/EADDRINUSE/);
  await api.close();
});
