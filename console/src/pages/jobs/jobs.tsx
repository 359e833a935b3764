/** Lists video jobs, the newest first. The list reads again by itself while somebody looks. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { LazyTextField } from '../../parts/field/lazy-text-field.tsx';
import { Page, Toolbar } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type JobFilters, STATUSES, type Status } from './filters.ts';
import { isOpen, JOB_COLUMNS } from './job-table.tsx';

const route = getRouteApi('/jobs');

const PAGE_SIZE = 50;

export function Jobs() {
  const { status, model, offset } = route.useSearch();
  const navigate = route.useNavigate();
  const from = offsetOf(offset);
  const query = { limit: PAGE_SIZE, offset: from, status, model };
  const list = useQuery({
    queryKey: ['jobs', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => read(api.GET('/videos', { params: { query }, signal })),
    refetchInterval: ({ state: { data } }) => (from === 0 || data?.data.some(isOpen) ? LIVE_MS : false),
  });
  const change = (part: JobFilters) =>
    void navigate({ search: (last) => ({ ...last, offset: undefined, ...part }) });
  return (
    <Page
      title="Jobs"
      about="Videos take minutes: each is a job that goes on by itself, even after a restart of the gateway."
      actions={<CopyCurl call={{ method: 'GET', path: '/videos', query }} />}
    >
      <Toolbar label="Filters">
        <SelectField
          label="Status"
          value={status ?? ''}
          options={STATUS_OPTIONS}
          onPick={(value) => change({ status: (value || undefined) as Status | undefined })}
        />
        <LazyTextField label="Model" value={model} onSet={(value) => change({ model: value })} />
      </Toolbar>
      <Listed
        query={list}
        caption="Video jobs"
        keyOf={({ id }) => id}
        columns={JOB_COLUMNS}
        from={from}
        pageSize={PAGE_SIZE}
        empty={<NoJobs isFiltered={Boolean(status ?? model)} />}
      />
    </Page>
  );
}

const STATUS_OPTIONS = [
  { value: '', label: 'Any' },
  ...STATUSES.map((value) => ({ value, label: value.replace('_', ' ') })),
];

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No job matches.">Choose another status or model.</Empty>;
  return (
    <Empty title="There are no video jobs yet.">
      Submit one by <code>POST /videos</code>. On a laptop, <code>npm run demo</code> does.
    </Empty>
  );
}
