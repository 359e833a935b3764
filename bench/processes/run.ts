/**
 * Chat answered by two API processes (API_PROCESSES=2) against one: both gateways run at the same time, each with its own
 * database and upstream. Arguments: those of `compareChats`.
 */
import { startMeasuredGateway } from '../gateway-process.ts';
import { compareChats } from '../live/compare-chats.ts';

/** On two cores, where load, upstreams and Postgres run too, a second process has nothing to gain, and may cost this. */
const BAR = 0.95;

await compareChats({
  product: () => startMeasuredGateway({ ownEnv: { API_PROCESSES: '2' } }),
  reference: () => startMeasuredGateway(),
  referenceName: 'one process',
  bar: BAR,
});
