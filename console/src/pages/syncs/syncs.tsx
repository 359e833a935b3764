/** Lists directory syncs, the newest first, and shows one: its state, its warnings, and each change that it made. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo, type Schema, useCall } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { formatCount, NONE } from '../../format/numbers.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { Listed, usePage } from '../../parts/paging/listed.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';
import { Moment, StateBadge, TemporalLink } from '../../parts/value/value.tsx';

type SyncJob = Schema<'ScimSyncJob'>;

const COLUMNS: readonly Column<SyncJob>[] = [
  linkColumn('Created', '/syncs/$id', ({ created_at: at }) => <Moment at={at} />),
  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { name: 'Kind', cell: kindOf },
  { name: 'Begun by', cell: ({ trigger, source }) => `${trigger}, ${source}` },
  { name: 'Read', isNumber: true, cell: ({ counts }) => formatCount(counts.people_read) },
  { name: 'Joined', isNumber: true, cell: ({ counts }) => formatCount(counts.members_added) },
  { name: 'Left', isNumber: true, cell: ({ counts }) => formatCount(counts.members_removed) },
  { name: 'Reason', cell: ({ error_message: error }) => error },
];

function kindOf({ dry_run: isDry, is_full: isFull }: SyncJob): string {
  return `${isFull ? 'full' : 'changes only'}${isDry ? ', dry run' : ''}`;
}

const isRunning = ({ status }: SyncJob): boolean => status === 'queued' || status === 'running';

export function Syncs() {
  const list = usePage((query) => callTo('GET', '/scim/sync-jobs', { query }), { isLive: isRunning });
  return (
    <ListPage
      title="Directory syncs"
      about="Each run that brought members, groups and keys in line with your directory. Kept for 30 days."
      list={list}
      caption="Syncs"
      columns={COLUMNS}
      empty={
        <Empty title="There are no directory syncs yet.">
          Connect a directory by <code>PUT /scim/source</code>, or let your identity provider push people.
        </Empty>
      }
    />
  );
}

const route = getRouteApi('/syncs/$id');

const words = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const CHANGE_COLUMNS: readonly Column<Schema<'ScimSyncChange'>>[] = [
  { name: 'What', cell: ({ kind }) => words(kind) },
  { name: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { name: 'Before', cell: ({ from }) => <bdi>{from ?? NONE}</bdi> },
  { name: 'After', cell: ({ to }) => <bdi>{to ?? NONE}</bdi> },
  { name: 'Time', cell: ({ created_at: at }) => <Moment at={at} /> },
];

export function Sync() {
  const { id } = route.useParams();
  const call = callTo('GET', '/scim/sync-jobs/{id}', { path: { id } });
  const job = useCall(call, { isLive: ({ data }) => isRunning(data) });
  return (
    <Page
      title="Directory sync"
      about={<code>{id}</code>}
      call={call}
      actions={<TemporalLink workflow={`directory-sync-${useSession().organization_id}`} />}
    >
      <Loaded query={job} what="the sync">
        {({ data }) => (
          <>
            <State job={data} />
            <Changes id={id} job={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function State({ job }: { job: SyncJob }) {
  const { warnings, progress } = job;
  const counts = Object.entries(job.counts).map(([name, count]) => [words(name), formatCount(count)]);
  return (
    <Columns>
      <Card title="State">
        <Facts
          facts={{
            Status: <StateBadge state={job.status} />,
            Reason: job.error_message,
            Kind: kindOf(job),
            'Begun by': `${job.trigger}, ${job.source}`,
            Step: isRunning(job) ? (progress.step ?? 'waits for its turn') : null,
            Started: <Moment at={job.started_at} />,
            Finished: <Moment at={job.finished_at} />,
          }}
        />
        {warnings.length > 0 && (
          <ul aria-label="Warnings">
            {warnings.map(({ message }, index) => (
              <li key={index}>{message}</li>
            ))}
          </ul>
        )}
      </Card>
      <Card title="In numbers">
        <Facts facts={Object.fromEntries(counts)} />
      </Card>
    </Columns>
  );
}

function Changes({ id, job }: { id: string; job: SyncJob }) {
  const list = usePage((query) => callTo('GET', '/scim/sync-jobs/{id}/changes', { path: { id }, query }), {
    version: job.status,
  });
  const isPlan = job.dry_run || job.error_reason?.startsWith('guard_');
  return (
    <Card title={isPlan ? 'What it would change' : 'What it changed'} call={list.call}>
      <Listed
        list={list}
        caption="Changes"
        keyOf={({ kind, name, created_at: at, to }) => `${kind} ${name} ${at} ${to}`}
        columns={CHANGE_COLUMNS}
        empty={<Empty title="Nothing changed." />}
      />
    </Card>
  );
}
