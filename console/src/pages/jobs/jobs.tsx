/** Lists video jobs, the newest first. The list reads again by itself while somebody looks. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo } from '../../api/call.ts';
import { optionsOf } from '../../parts/field/field.tsx';
import { Filters } from '../../parts/field/filters.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed, usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { STATUSES } from './filters.ts';
import { isOpen, JOB_COLUMNS } from './job-table.tsx';

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
    <Page
      title="Jobs"
      about="Videos take minutes: each is a job that goes on by itself, even after a restart of the gateway."
      call={list.call}
    >
      <Filters filters={FILTERS} search={{ status, model }} />
      <Listed
        list={list}
        caption="Video jobs"
        keyOf={({ id }) => id}
        columns={JOB_COLUMNS}
        empty={<NoJobs isFiltered={Boolean(status ?? model)} />}
      />
    </Page>
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
