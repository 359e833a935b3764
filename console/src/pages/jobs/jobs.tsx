/** Lists video jobs, the newest first. The list reads again by itself while somebody looks. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo, type Schema } from '../../api/call.ts';
import { optionsOf } from '../../parts/field/field.tsx';
import { Filters } from '../../parts/field/filters.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';
import { Moment, StateBadge, Usd } from '../../parts/value/value.tsx';
import { STATUSES } from './filters.ts';

export type JobRecord = Schema<'Video'>;

export const isOpen = ({ status }: JobRecord): boolean => status === 'pending' || status === 'in_progress';

export const JOB_COLUMNS: readonly Column<JobRecord>[] = [
  linkColumn('Accepted', '/jobs/$id', ({ created_at: at }) => <Moment at={at} />),
  { name: 'Model', cell: ({ model }) => <bdi>{model}</bdi> },
  {
    name: 'Status',
    cell: (job) => (
      <>
        <StateBadge state={job.status} /> <Detail job={job} />
      </>
    ),
  },
  {
    name: 'Webhook',
    cell: ({ webhook }) => (webhook === null ? 'none' : <StateBadge state={webhook.state} />),
  },
  { name: 'Cost', isNumber: true, cell: ({ usage }) => <Usd value={usage?.cost} /> },
];

function Detail({ job: { status, progress, waiting, error } }: { job: JobRecord }) {
  if (waiting !== null) return <span>{waiting.reason.replaceAll('_', ' ')}</span>;
  if (status === 'in_progress' && progress !== null) return <span>{progress} %</span>;
  return error === undefined ? null : <bdi>{error}</bdi>;
}

const route = getRouteApi('/jobs');

const FILTERS = [
  { name: 'status', label: 'Status', options: optionsOf(STATUSES) },
  { name: 'model', label: 'Model' },
] as const;

export function Jobs() {
  const { status, model, offset } = route.useSearch();
  const list = usePage((page) => callTo('GET', '/videos', { query: { ...page, status, model } }), {
    isLive: offset === undefined || isOpen,
  });
  return (
    <ListPage
      title="Jobs"
      about="Videos take minutes: each is a job that goes on by itself, even after a restart of the gateway."
      filters={<Filters filters={FILTERS} search={{ status, model }} />}
      list={list}
      caption="Video jobs"
      columns={JOB_COLUMNS}
      empty={<NoJobs isFiltered={Boolean(status ?? model)} />}
    />
  );
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No job matches.">Choose another status or model.</Empty>;
  return (
    <Empty title="There are no video jobs yet.">
      Submit one by <code>POST /videos</code>. On a laptop, <code>npm run demo</code> does.
    </Empty>
  );
}
