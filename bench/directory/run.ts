/**
 * Measures a sync of a large directory against a bare loop that reads the same source in the same run. Also measures
 * how long the SCIM server takes to change one member of a large group. Source, API and worker are separate processes.
 * Arguments: people, groups, memberships of groups, and mappings.
 */
import { addOrganization } from '../../test/support/accounts.ts';
import { sizeOfHistory, watchMembers } from '../../test/support/sync-size.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { startServer } from '../live/processes.ts';
import { recordOne } from '../reads/single-read.ts';
import { median, renderTable } from '../table.ts';
import { readBare } from './bare-loop.ts';
import { createCustomer, type Customer } from './customer.ts';
import { residentMib, watchMemory } from './observe.ts';
import { measurePatches } from './patch-member.ts';
import { createReadLoad } from './read-load.ts';

const [people = 100_000, groups = 1_000, memberships = 300_000, mappings = 200] = process.argv
  .slice(2)
  .map(Number);
const FIRST_BAR_SECONDS = 90;
const UNCHANGED_BAR_SECONDS = 15;
const READS_BAR = 0.7;
const PATCH_BAR = 2;
const EVENTS_BAR = 200;
const PAYLOAD_BAR_BYTES = 10_000;
const PATCH_ROUNDS = 20;

const say = (what: string): void => void process.stdout.write(`${what}\n`);

const source = await startServer('directory/source.ts', [`${people}`, `${groups}`, `${memberships}`]);
const gateway = await startMeasuredGateway();
const worker = gateway.startWorker({ bundled: true });
const reads = createReadLoad(gateway, await recordOne(gateway));

const alone = await openCustomer('alone');
const bare = [await readBare(baseUrlOf('alone')), await readBare(baseUrlOf('alone'))];
const rest = residentMib(worker);
const highest = watchMemory(worker);
const first = await timedSync(alone, 'first sync');
const firstHighest = highest();
const history = await sizeOfHistory(gateway.temporal, alone.organizationId);
bare.push(await readBare(baseUrlOf('alone')));
await gateway.database.query('analyze');
const written = await watchMembers(gateway.database);
const unchanged = await timedSync(alone, 'unchanged sync');
const writtenRows = await written();
const bareSeconds = median(bare);

const beside = await openCustomer('beside');
await reads.warmUp();
const quiet = [await reads.rate()];
const besideFirst = await reads.rateDuring(() => timedSync(beside, 'first sync beside reads'));
quiet.push(await reads.rate());
const besideUnchanged = await reads.rateDuring(() => timedSync(beside, 'unchanged sync beside reads'));
quiet.push(await reads.rate());
const allHighest = highest();

say('One member of a large group …');
await alone.call('DELETE', '/scim/source');
const patches = await measurePatches(gateway, alone, PATCH_ROUNDS);
await gateway.close();
await source.close();

const verdict = (isGood: boolean, bar: string): string => `${bar} ${isGood ? 'ok' : 'MISSED'}`;
const overBare = (seconds: number, bar: number): string[] => [
  (seconds - bareSeconds).toFixed(1),
  verdict(seconds - bareSeconds <= bar, `at most ${bar}`),
];
const readsRow = (name: string, rate: number): string[] => {
  const ratio = rate / median(quiet);
  return [
    `reads beside ${name}, share of their rate`,
    ratio.toFixed(2),
    verdict(ratio >= READS_BAR, `${READS_BAR}`),
  ];
};
const patchRows = (['add', 'remove'] as const).map((verb) => {
  const [many, few] = [median(patches.many[verb]), median(patches.few[verb])];
  const cells = `${many.toFixed(1)} / ${few.toFixed(1)} = ${(many / few).toFixed(2)}`;
  return [
    `${verb} one member, all / ten in the group, ms`,
    cells,
    verdict(many / few <= PATCH_BAR, `${PATCH_BAR}`),
  ];
});
say(
  `\n${renderTable(
    [`${people} people, ${groups} groups, ${memberships} memberships, ${mappings} mappings`, '', 'bar'],
    [
      ['bare loop, s', bareSeconds.toFixed(1), ''],
      ['first sync, s over the bare loop', ...overBare(first, FIRST_BAR_SECONDS)],
      ['unchanged sync, s over the bare loop', ...overBare(unchanged, UNCHANGED_BAR_SECONDS)],
      ['rows of members written by it', `${writtenRows}`, verdict(writtenRows === 0, '0')],
      [
        'events of the first sync',
        `${history.events}`,
        verdict(history.events < EVENTS_BAR, `below ${EVENTS_BAR}`),
      ],
      [
        'largest payload, bytes',
        `${history.largestPayloadBytes}`,
        verdict(history.largestPayloadBytes < PAYLOAD_BAR_BYTES, `below ${PAYLOAD_BAR_BYTES}`),
      ],
      ['worker at rest, MiB', `${rest}`, ''],
      ['worker, highest in the first sync, MiB', `${firstHighest}`, ''],
      ['worker, highest of all syncs, MiB', `${allHighest}`, ''],
      ['reads a second, no sync', median(quiet).toFixed(0), ''],
      readsRow('a first sync', besideFirst),
      readsRow('an unchanged sync', besideUnchanged),
      ...patchRows,
    ],
  )}\n`,
);

function baseUrlOf(tenant: string): string {
  return `${source.origin}/${tenant}`;
}

/** Creates an organization that has the source's groups and some mappings, before the groups have members. */
async function openCustomer(tenant: string): Promise<Customer> {
  const customer = await createCustomer(gateway, await addOrganization(gateway));
  await customer.setSource(`${baseUrlOf(tenant)}/groups-only`);
  await timedSync(customer, `${tenant}: groups without people`);
  await customer.mapGroups(mappings);
  await customer.setSource(baseUrlOf(tenant));
  return customer;
}

async function timedSync(customer: Customer, name: string): Promise<number> {
  say(`${name} …`);
  const seconds = await customer.sync();
  say(`${name}: ${seconds.toFixed(1)} s`);
  return seconds;
}
