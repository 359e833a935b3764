/** Attacks with a private endpoint whose server calls the gateway again, without any header of the request. */
import { once } from 'node:events';
import { findFreePorts } from '../../dev/ports.ts';
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import { addPrivateEndpoint } from '../../test/support/own-resources.ts';
import { spawnScript } from '../gateway-process.ts';
import type { Attack } from './attack.ts';
import type { RelayCounts } from './relay-server.ts';

/** Makes one request, which the relay multiplies, and keeps the chain as long as the gateway permits. */
export const relay: Attack = {
  async start(gateway) {
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, place);
    const [port = 0] = await findFreePorts(1);
    const server = spawnScript('hostile/relay-server.ts', [`${port}`, gateway.origin, token]);
    const url = `http://127.0.0.1:${port}`;
    await addPrivateEndpoint({ ...gateway, ...place }, `${url}/v1`);
    const counts = async (): Promise<RelayCounts> => (await fetch(url)).json() as Promise<RelayCounts>;
    await untilUnderWay(`${gateway.origin}/api/v1/chat/completions`, token, counts);
    return {
      async stop() {
        const { hops, most, statuses } = await counts();
        server.kill('SIGKILL');
        await once(server, 'exit');
        const answers = Object.entries(statuses).map(([status, n]) => `${n} times ${status}`);
        return `one request became ${hops} hops, ${most} of them at the same time; the gateway answered the relay ${answers.join(', ') || 'nothing'}`;
      },
    };
  },
};

/** Sends one request after the other until one has reached the relay. That one is not waited for. */
async function untilUnderWay(url: string, token: string, counts: () => Promise<RelayCounts>): Promise<void> {
  const body = JSON.stringify({ model: 'local/echo-1', messages: [{ role: 'user', content: 'x' }] });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (;;) {
    const asked = fetch(url, { method: 'POST', headers, body })
      .then((answer) => answer.text())
      .catch(() => '');
    const hops = async (): Promise<number> => (await counts().catch(() => undefined))?.hops ?? 0;
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 500))]);
    if ((await hops()) > 0) return;
    await asked;
  }
}
