/** Attacks spending limits by requests at once, whose text has twice the estimated tokens. */
import { request as send } from 'undici';
import { parseUsd } from '../../domain/money.ts';
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import type { MeasuredGateway } from '../gateway-process.ts';
import type { Attack } from './attack.ts';

const AT_ONCE = 16;
const LIMIT_USD = 0.0045;
/** Words of one letter are a token each for the upstream, and half a token by the estimate. */
const WORDS = 'a '.repeat(1_000);
const BODY = JSON.stringify({
  model: 'local/echo-1',
  max_tokens: 1,
  messages: [{ role: 'user', content: WORDS }],
});

/** Spends the limits of new keys until the attack is stopped. */
export const limits: Attack = {
  async start(gateway) {
    const place = await addOrganization(gateway);
    const shares: number[] = [];
    const statuses = new Map<string, number>();
    let isOver = false;
    const attack = async (): Promise<void> => {
      while (!isOver) shares.push(await spendOneLimit(gateway, place, statuses));
    };
    const attacked = attack();
    return {
      async stop() {
        isOver = true;
        await attacked;
        const answers = [...statuses].map(([status, n]) => `${n} times ${status}`).join(', ');
        return `${shares.length} keys spent at most ${Math.max(...shares).toFixed(2)} of their limit; answers: ${answers}`;
      },
    };
  },
};

/** Sends requests at once with a new key. Returns the part of its limit that they spent. */
async function spendOneLimit(
  gateway: MeasuredGateway,
  place: Awaited<ReturnType<typeof addOrganization>>,
  statuses: Map<string, number>,
): Promise<number> {
  const { token } = await addKey(gateway, { ...place, limitNanos: parseUsd(`${LIMIT_USD}`) });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (): Promise<void> => {
    const answer = await send(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: BODY,
    });
    await answer.body.dump();
    statuses.set(`${answer.statusCode}`, (statuses.get(`${answer.statusCode}`) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  const key = await send(`${gateway.origin}/api/v1/key`, { headers });
  const { data } = (await key.body.json()) as { data: { usage: number } };
  return data.usage / LIMIT_USD;
}
