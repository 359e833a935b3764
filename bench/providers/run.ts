/**
 * Compares what the API's processor spends on a chat by vendors, whole and streamed, in one run. Then it compares the
 * API's start and memory with no vendor configured and with all of them. Arguments: seconds of a round, and rounds.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { providerVariableName } from '../../platform/provider-variables.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { cpuOfTree } from '../cpu.ts';
import { type MeasuredGateway, rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { startServer } from '../live/processes.ts';
import { loadSockets } from '../live/socket-load.ts';
import { median, renderTable, spread } from '../table.ts';

const [seconds = 3, rounds = 5] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 10;
const REST_MS = 10_000;
/** The vendors whose chats are measured; the first is what the others are compared with. */
const VENDORS = ['openai', 'mistral', 'google', 'bedrock'];

/** The credentials of vendors that need more than a key. */
const CREDENTIALS: Record<string, string> = {
  bedrock: JSON.stringify({
    region: 'eu-west-1',
    accessKeyId: 'AKIAEXAMPLEKEY000001',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  }),
  'google-vertex': JSON.stringify({ source: 'environment', project_id: 'bench' }),
};

const canned = await startServer('providers/answers-server.ts');
const gateway = await startMeasuredGateway({ env: configured(VENDORS) });
const table: string[][] = [];
for (const stream of [false, true]) table.push(...(await compareVendors(gateway, stream)));
await gateway.close();
await canned.close();

const rest = [
  await measureRest('none', []),
  await measureRest(
    'all',
    bundledCatalogs().flatMap(({ providers }) => providers.map(({ slug }) => slug)),
  ),
];
process.stdout.write(
  [
    `\n${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections, µs of the API's processor time for a chat`,
    renderTable(['', 'min', 'median', 'max', `to ${VENDORS[0]}, by medians`], table),
    'The API at rest',
    renderTable(['vendors', 'PSS, MiB', 'ms until it answers, with a new database'], rest),
  ].join('\n\n'),
);
process.stdout.write('\n');

/** Returns the variables that let the API call these vendors at the server of canned answers, or at a closed port. */
function configured(slugs: readonly string[]): Record<string, string> {
  const origin = slugs === VENDORS ? canned.origin : 'http://127.0.0.1:9';
  return Object.fromEntries(
    slugs.flatMap((slug) => {
      const name = `PROVIDER_${providerVariableName(slug)}`;
      return [
        [`${name}_API_KEY`, CREDENTIALS[slug] ?? 'bench-key'],
        [`${name}_BASE_URL`, `${origin}/${slug}`],
      ];
    }),
  );
}

/** Returns the first chat model that this vendor serves in the catalog. */
function chatModelOf(slug: string): string {
  const files = bundledCatalogs();
  const talks = new Set(
    files.flatMap(({ models }) =>
      models.filter(({ outputModalities }) => outputModalities.join() === 'text').map(({ id }) => id),
    ),
  );
  const endpoint = files
    .flatMap(({ liveEndpoints }) => liveEndpoints)
    .find((one) => one.providerSlug === slug && one.capability === 'chat' && talks.has(one.modelId));
  if (endpoint === undefined) throw new Error(`the catalog has no chat model of ${slug}`);
  return endpoint.modelId;
}

/** Measures the vendors in alternating rounds. Returns a row for each. */
async function compareVendors(
  { origin, pid, apiKey }: MeasuredGateway,
  stream: boolean,
): Promise<string[][]> {
  const costs = new Map(VENDORS.map((slug) => [slug, [] as number[]]));
  const costOf = async (slug: string, length: number): Promise<number> => {
    const messages = [{ role: 'user', content: 'Say what you always say.' }];
    const body = {
      model: chatModelOf(slug),
      messages,
      provider: { only: [slug] },
      ...(stream && { stream }),
    };
    const request = rawRequest('/api/v1/chat/completions', apiKey, body);
    const before = cpuOfTree(pid) ?? 0;
    const load = { origin, request, connections: CONNECTIONS, durationMs: length * 1000 };
    const { requests } = await loadSockets(load);
    return (((cpuOfTree(pid) ?? 0) - before) / requests) * 1000;
  };
  for (const slug of VENDORS) await costOf(slug, WARM_UP_SECONDS);
  for (let n = 0; n < rounds; n += 1) {
    const first = n % VENDORS.length;
    const order = [...VENDORS.slice(first), ...VENDORS.slice(0, first)];
    for (const slug of order) costs.get(slug)!.push(await costOf(slug, seconds));
    process.stdout.write(`Round ${n + 1} of ${rounds} of ${stream ? 'streamed' : 'whole'} chats done\n`);
  }
  const reference = median(costs.get(VENDORS[0]!)!);
  return [...costs].map(([slug, each]) => [
    `${slug}, ${stream ? 'streamed' : 'whole'}`,
    ...spread(each, 0),
    (median(each) / reference).toFixed(2),
  ]);
}

/** Starts an API with these vendors configured, and measures it while it rests. */
async function measureRest(title: string, slugs: string[]): Promise<string[]> {
  const startedMs = performance.now();
  const resting = await startMeasuredGateway({ env: configured(slugs) });
  const startMs = performance.now() - startedMs;
  await delay(REST_MS);
  const rollup = readFileSync(`/proc/${resting.pid}/smaps_rollup`, 'utf8');
  const pss = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024;
  await resting.close();
  return [title, pss.toFixed(0), startMs.toFixed(0)];
}
