import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listen, type Listeners } from '../../../api/http/listen.ts';
import { openRaw } from '../support/raw-request.ts';

const CALLERS = 200;

let listeners: Listeners | undefined;

afterEach(() => listeners?.close());

test('a listening server accepts several waiting connections in one turn', async () => {
  let accepted = 0;
  const server = createServer().on('connection', () => (accepted += 1));
  listeners = await listen(server, 0, '127.0.0.1');
  const callers = Array.from({ length: CALLERS }, () => openRaw(listeners!.port));
  let turns = 0;
  for (; accepted < CALLERS; turns += 1) await nextTurn();
  for (const { socket } of callers) socket.destroy();
  expect(turns).toBeLessThan(CALLERS / 2);
});

test('a closed port refuses every connection', async () => {
  const { port, close } = await listen(createServer(), 0, '127.0.0.1');
  await close();
  const callers = Array.from({ length: 32 }, () => openRaw(port));
  const failures = callers.map(({ socket }) => new Promise((resolve) => void socket.once('error', resolve)));
  for (const failure of failures) expect(await failure).toMatchObject({ code: 'ECONNREFUSED' });
});
