/** Shows one directory sync: its state, its warnings, and each change that it made. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import type { components } from '../../../generated/api.d.ts';
import { formatCount, NONE } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/badge/badge.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { TemporalLink } from '../../parts/temporal/temporal-link.tsx';
import { isRunning, kindOf, type Sync as Job } from './syncs.tsx';

const route = getRouteApi('/syncs/$id');

const PAGE_SIZE = 50;

const words = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const COLUMNS: readonly Column<components['schemas']['ScimSyncChange']>[] = [
  { name: 'What', cell: ({ kind }) => words(kind) },
  { name: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { name: 'Before', cell: ({ from }) => <bdi>{from ?? NONE}</bdi> },
  { name: 'After', cell: ({ to }) => <bdi>{to ?? NONE}</bdi> },
  { name: 'Time', cell: ({ created_at: at }) => <Moment at={at} /> },
];

export function Sync() {
  const { id } = route.useParams();
  const path = { id };
  const job = useQuery({
    queryKey: ['sync', id],
    queryFn: async ({ signal }) =>
      (await read(api.GET('/scim/sync-jobs/{id}', { params: { path }, signal }))).data,
    refetchInterval: ({ state: { data } }) => (data === undefined || isRunning(data) ? LIVE_MS : false),
  });
  return (
    <Page
      title="Directory sync"
      about={<code>{id}</code>}
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: `/scim/sync-jobs/${id}` }} />
          <TemporalLink workflow={`directory-sync-${useSession().organization_id}`} />
        </>
      }
    >
      <Loaded query={job} what="the sync">
        {(record) => (
          <>
            <State job={record} />
            <Changes id={id} job={record} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function State({ job }: { job: Job }) {
  const { warnings, progress } = job;
  return (
    <Columns>
      <Card title="State">
        <Facts
          facts={[
            ['Status', <StateBadge key="status" state={job.status} />],
            ['Reason', job.error_message ?? undefined],
            ['Kind', kindOf(job)],
            ['Begun by', `${job.trigger}, ${job.source}`],
            ['Step', isRunning(job) ? (progress.step ?? 'waits for its turn') : undefined],
            ['Started', <Moment key="started" at={job.started_at} />],
            ['Finished', <Moment key="finished" at={job.finished_at} />],
          ]}
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
        <Facts facts={Object.entries(job.counts).map(([name, count]) => [words(name), formatCount(count)])} />
      </Card>
    </Columns>
  );
}

function Changes({ id, job }: { id: string; job: Job }) {
  const from = offsetOf(route.useSearch().offset);
  const query = { limit: PAGE_SIZE, offset: from };
  const list = useQuery({
    queryKey: ['sync', id, 'changes', query, job.status],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      read(api.GET('/scim/sync-jobs/{id}/changes', { params: { path: { id }, query }, signal })),
  });
  const isPlan = job.dry_run || job.error_reason?.startsWith('guard_');
  return (
    <Card
      title={isPlan ? 'What it would change' : 'What it changed'}
      actions={<CopyCurl call={{ method: 'GET', path: `/scim/sync-jobs/${id}/changes`, query }} />}
    >
      <Listed
        query={list}
        caption="Changes"
        keyOf={({ kind, name, created_at: at, to }) => `${kind} ${name} ${at} ${to}`}
        columns={COLUMNS}
        from={from}
        pageSize={PAGE_SIZE}
        empty={<Empty title="Nothing changed." />}
      />
    </Card>
  );
}
