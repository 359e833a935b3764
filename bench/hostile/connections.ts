/** Attacks with more connections than a process accepts, each with half of a head and no key. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attack } from './attack.ts';

const CONNECTIONS = 12_000;

export const connections: Attack = {
  async start({ origin }) {
    const file = fileURLToPath(new URL('silent-callers.ts', import.meta.url));
    const args = [new URL(origin).port, `${CONNECTIONS}`];
    const callers = fork(file, args, { execArgv: ['--no-warnings'] });
    return {
      async stop() {
        callers.send('count');
        const [opened] = (await once(callers, 'message')) as [number];
        callers.kill('SIGKILL');
        await once(callers, 'exit');
        return `${opened} connections without a key were opened, ${CONNECTIONS} of them at the same time`;
      },
    };
  },
};
