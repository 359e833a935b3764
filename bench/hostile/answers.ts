/** Attacks with an own upstream that sends huge answers and events, to readers that take nothing. */
import { once } from 'node:events';
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import type { HostileAnswer } from '../../test/support/hostile-upstream.ts';
import { type IdleReaders, startIdleReaders } from '../../test/support/idle-readers.ts';
import { addCredential, addPrivateEndpoint } from '../../test/support/own-resources.ts';
import { type MeasuredGateway, spawnScript } from '../gateway-process.ts';
import type { Attack } from './attack.ts';

/** The answers that hostile tenants ask for, and the number of requests that each keeps under way. */
const ATTACKS: [HostileAnswer, count: number][] = [
  ['huge-whole', 40],
  ['huge-events', 600],
  ['large-events', 600],
];

/** Keeps the requests of three tenants under way, each with one key. */
export const answers: Attack = {
  async start(gateway) {
    const server = spawnScript('hostile/answers-server.ts', [], { output: 'pipe' });
    const [origin] = (await once(server.stdout!, 'data')) as [Buffer];
    const readers: [string, IdleReaders][] = [];
    for (const [name, count] of ATTACKS) {
      const apiKey = await addTenant(gateway, origin.toString());
      readers.push([`${count} of ${name}`, startReaders(gateway, apiKey, name, count)]);
    }
    return {
      async stop() {
        for (const [, { close }] of readers) close();
        server.kill('SIGKILL');
        await once(server, 'exit');
        return readers
          .map(([what, { statuses }]) => `${what} were answered ${countsOf(statuses)}`)
          .join('; ');
      },
    };
  },
};

async function addTenant(gateway: MeasuredGateway, origin: string): Promise<string> {
  const place = await addOrganization(gateway);
  const scene = { ...gateway, ...place };
  await addCredential(scene, 'any', { base_url: `${origin}/v1`, origin });
  await addPrivateEndpoint(scene, `${origin}/v1`);
  return (await addKey(gateway, place)).token;
}

function startReaders(
  { origin }: MeasuredGateway,
  apiKey: string,
  name: HostileAnswer,
  count: number,
): IdleReaders {
  const messages = [{ role: 'user', content: name }];
  const provider = { only: ['openai-compatible'] };
  const body = { model: 'local/echo-1', stream: name.endsWith('events'), messages, provider };
  return startIdleReaders({ origin, apiKey, body, count, again: true });
}

function countsOf(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, n]) => `${n} times ${status}`).join(', ') || 'nothing';
}
