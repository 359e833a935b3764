/** Attacks with keys that look real and do not exist, from several addresses. */
import { Agent, request as send } from 'undici';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import type { Attack } from './attack.ts';

const ADDRESSES = 32;

export const wrongKeys: Attack = {
  async start({ origin }) {
    const statuses = new Map<string, number>();
    let isOver = false;
    const attackFrom = async (localAddress: string): Promise<void> => {
      const dispatcher = new Agent({ connect: { localAddress } });
      while (!isOver) {
        const headers = { authorization: `Bearer ${newToken().token}` };
        const status = await send(`${origin}/api/v1/key`, { dispatcher, headers }).then(
          async (answer) => {
            await answer.body.dump();
            return `${answer.statusCode}`;
          },
          () => 'no answer',
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      await dispatcher.close();
    };
    const attacked = Promise.all(Array.from({ length: ADDRESSES }, (_, n) => attackFrom(`127.0.8.${n + 1}`)));
    return {
      async stop() {
        isOver = true;
        await attacked;
        const answers = [...statuses].map(([status, n]) => `${n} times ${status}`).join(', ');
        return `${ADDRESSES} addresses sent wrong keys; they were answered ${answers}`;
      },
    };
  },
};
