/** Attacks with more connections than a process has descriptors, each with half of a head and no key. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attack } from './attack.ts';

/** Each of these processes holds its connections open. One process alone could not have so many. */
const PROCESSES = 2;
const CONNECTIONS = 12_000;

export const connections: Attack = {
  async start({ origin }) {
    const file = fileURLToPath(new URL('silent-callers.ts', import.meta.url));
    const callers = Array.from({ length: PROCESSES }, () =>
      fork(file, [new URL(origin).port, `${CONNECTIONS}`], { execArgv: ['--no-warnings'] }),
    );
    return {
      async stop() {
        let opened = 0;
        for (const caller of callers) {
          caller.send('count');
          const [count] = (await once(caller, 'message')) as [number];
          opened += count;
          caller.kill('SIGKILL');
          await once(caller, 'exit');
        }
        return `${opened} connections without a key were opened, at most ${PROCESSES * CONNECTIONS} at the same time`;
      },
    };
  },
};
