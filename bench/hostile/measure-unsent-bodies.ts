/** Measures how much sockets that never send their bodies slow down the chats of another tenant. */
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import { busyNanosOfProcess } from '../cpu.ts';
import { type MeasuredGateway, rawRequest } from '../gateway-process.ts';
import { loadSockets } from '../live/socket-load.ts';
import { renderTable, spread } from '../table.ts';
import { holdSockets, type UnsentBody } from './unsent-bodies.ts';

const MIB = 1024 ** 2;
const CHAT_BYTES = 100_000;
const CONNECTIONS = 8;
const ROUNDS = 6;
const ROUND_MS = 10_000;
const WARM_UP_MS = 10_000;
/** The pause before each round, so that opening and closing sockets is not measured. */
const SETTLE_MS = 2_000;

/** The least share of its usual chats per second that a tenant must keep. */
const BAR = 0.9;

/**
 * Measures one tenant's chats of 100 KB, alone and beside other tenants' sockets that announce bodies without sending
 * them, in alternating rounds. Throws if a chat is not answered with 200.
 */
export async function measureUnsentBodies(gateway: MeasuredGateway): Promise<string> {
  const { token } = await addKey(gateway, await addOrganization(gateway));
  const messages = [{ role: 'user', content: 'x'.repeat(CHAT_BYTES) }];
  const request = rawRequest('/api/v1/chat/completions', token, { model: 'local/chat-canned', messages });
  const chats = async (durationMs: number) => {
    const load = { origin: gateway.origin, request, connections: CONNECTIONS, durationMs };
    const busyNanos = busyNanosOfProcess(gateway.pid);
    const { requests, perSecond, wholeMs } = await loadSockets(load);
    const busyMicros = (busyNanosOfProcess(gateway.pid) - busyNanos) / 1_000 / requests;
    return { perSecond, busyMicros, p99Ms: wholeMs[Math.floor(wholeMs.length * 0.99)]! };
  };
  const round = async (): Promise<Round> => {
    await chats(SETTLE_MS);
    return chats(ROUND_MS);
  };
  await chats(WARM_UP_MS);
  const [alone, beside] = [[] as Round[], [] as Round[]];
  const statuses = new Map<string, number>();
  for (let n = 0; n < ROUNDS; n += 1) {
    const besideHostile = async (): Promise<void> => {
      const held = await holdSockets(gateway.origin, hostileBodies(gateway));
      beside.push(await round());
      held.close();
      for (const [status, count] of held.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    };
    if (n % 2 === 1) await besideHostile();
    alone.push(await round());
    if (n % 2 === 0) await besideHostile();
  }
  const answered = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
  return `${render(alone, beside)}\n\nthe hostile sockets were answered ${answered || 'nothing'}; the bar is ${BAR}`;
}

interface Round {
  perSecond: number;
  /** The API's processor time for one chat, over all threads. */
  busyMicros: number;
  p99Ms: number;
}

function hostileBodies({ apiKey }: MeasuredGateway): UnsentBody[] {
  return [
    { target: '/provider-callbacks/replicate/gen-vid-1?token=x', announcedBytes: MIB, sockets: 600 },
    { target: '/provider-callbacks/replicate', announcedBytes: MIB / 4, sockets: 600 },
    { target: '/chat/completions', apiKey, announcedBytes: 32 * MIB, sockets: 16 },
  ];
}

function render(alone: Round[], beside: Round[]): string {
  const row = (name: string, rounds: Round[], value: keyof Round, digits: number): string[] => [
    name,
    ...spread(
      rounds.map((round) => round[value]),
      digits,
    ),
  ];
  const ratios = beside.map((round, n) => round.perSecond / alone[n]!.perSecond);
  return renderTable(
    ['chats of 100 KB', 'min', 'median', 'max'],
    [
      row('alone, answered 200 a second', alone, 'perSecond', 0),
      row('beside the sockets, answered 200 a second', beside, 'perSecond', 0),
      ['ratio', ...spread(ratios, 2)],
      row('alone, processor time of the API, µs a chat', alone, 'busyMicros', 0),
      row('beside the sockets, µs a chat', beside, 'busyMicros', 0),
      row('alone, p99, ms', alone, 'p99Ms', 1),
      row('beside the sockets, p99, ms', beside, 'p99Ms', 1),
    ],
  );
}
