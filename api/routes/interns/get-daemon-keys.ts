import { daemonOperations } from '../../../contract/interns/daemon.ts';
import { presentDaemonKey } from '../../presenters/daemon-signature.ts';
import { defineRoute } from '../../route.ts';

/** Verifiers may remember the keys for so long, which the delay of a rotation allows for. */
const CACHE = 'public, max-age=300';

export const getDaemonKeys = defineRoute(daemonOperations.getDaemonKeys, async (_call, { services }) => {
  const keys = await services.daemon.publishedKeys();
  return { status: 200, headers: { 'cache-control': CACHE }, body: { keys: keys.map(presentDaemonKey) } };
});
