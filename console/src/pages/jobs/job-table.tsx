/** Lays out the columns of a list of video jobs. */
import type { Schema } from '../../api/call.ts';
import { Moment, StateBadge, Usd } from '../../parts/value/value.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';

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
