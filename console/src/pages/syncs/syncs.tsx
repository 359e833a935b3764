/** Lists directory syncs, the newest first. */
import { callTo, type Schema } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { Moment, StateBadge } from '../../parts/value/value.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed, usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';

export type Sync = Schema<'ScimSyncJob'>;

const COLUMNS: readonly Column<Sync>[] = [
  linkColumn('Created', '/syncs/$id', ({ created_at: at }) => <Moment at={at} />),
  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { name: 'Kind', cell: kindOf },
  { name: 'Begun by', cell: ({ trigger, source }) => `${trigger}, ${source}` },
  { name: 'Read', isNumber: true, cell: ({ counts }) => formatCount(counts.people_read) },
  { name: 'Joined', isNumber: true, cell: ({ counts }) => formatCount(counts.members_added) },
  { name: 'Left', isNumber: true, cell: ({ counts }) => formatCount(counts.members_removed) },
  { name: 'Reason', cell: ({ error_message: error }) => error },
];

export function kindOf({ dry_run: isDry, is_full: isFull }: Sync): string {
  return `${isFull ? 'full' : 'changes only'}${isDry ? ', dry run' : ''}`;
}

export const isRunning = ({ status }: Sync): boolean => status === 'queued' || status === 'running';

export function Syncs() {
  const list = usePage((query) => callTo('GET', '/scim/sync-jobs', { query }), { isLive: isRunning });
  return (
    <Page
      title="Directory syncs"
      about="Each run that brought members, groups and keys in line with your directory. Kept for 30 days."
      call={list.call}
    >
      <Listed
        list={list}
        caption="Syncs"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty title="There are no directory syncs yet.">
            Connect a directory by <code>PUT /scim/source</code>, or let your identity provider push people.
          </Empty>
        }
      />
    </Page>
  );
}
