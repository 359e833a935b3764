/**
 * Compares chat answered by two API processes (API_PROCESSES=2) with one. Both gateways run at the same time, each with
 * its own database and upstream. Arguments: those of `compareChats`.
 */
import { startMeasuredGateway } from '../gateway-process.ts';
import { compareChats } from '../live/compare-chats.ts';

/**
 * The least ratio on two cores: load, upstreams and Postgres use them too, so a second process has no benefit and a
 * small cost.
 */
const BAR = 0.95;

await compareChats({
  product: () => startMeasuredGateway({ ownEnv: { API_PROCESSES: '2' } }),
  reference: () => startMeasuredGateway(),
  referenceName: 'one process',
  bar: BAR,
});
