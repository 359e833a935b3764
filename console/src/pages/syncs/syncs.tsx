/** Lists directory syncs, the newest first. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import type { components } from '../../../generated/api.d.ts';
import { formatCount } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/badge/badge.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';

export type Sync = components['schemas']['ScimSyncJob'];

const route = getRouteApi('/syncs');

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<Sync>[] = [
  {
    name: 'Created',
    cell: ({ id, created_at: at }) => (
      <Link to="/syncs/$id" params={{ id }}>
        <Moment at={at} />
      </Link>
    ),
  },
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
  const from = offsetOf(route.useSearch().offset);
  const query = { limit: PAGE_SIZE, offset: from };
  const list = useQuery({
    queryKey: ['syncs', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => read(api.GET('/scim/sync-jobs', { params: { query }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.data.some(isRunning) ? LIVE_MS : false),
  });
  return (
    <Page
      title="Directory syncs"
      about="Each run that brought members, groups and keys in line with your directory. Kept for 30 days."
      actions={<CopyCurl call={{ method: 'GET', path: '/scim/sync-jobs', query }} />}
    >
      <Listed
        query={list}
        caption="Syncs"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        from={from}
        pageSize={PAGE_SIZE}
        empty={
          <Empty title="There are no directory syncs yet.">
            Connect a directory by <code>PUT /scim/source</code>, or let your identity provider push people.
          </Empty>
        }
      />
    </Page>
  );
}
