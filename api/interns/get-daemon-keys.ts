/** Handles `GET /interns/daemon/jwks.json`: publishes the keys with which daemons verify signed requests. */
import { daemonOperations, KEYS_CACHE_CONTROL } from '../../contract/interns/daemon.ts';
import { presentDaemonKey } from './present-daemon-signature.ts';
import { defineRoute } from '../http/route.ts';

export const getDaemonKeys = defineRoute(daemonOperations.getDaemonKeys, async (_call, { services }) => {
  const keys = await services.daemon.publishedKeys();
  const headers = { 'cache-control': KEYS_CACHE_CONTROL };
  return { status: 200, headers, body: { keys: keys.map(presentDaemonKey) } };
});
