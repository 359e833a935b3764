/** Lists video jobs, the newest first. The list reads again by itself while somebody looks. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo } from '../../api/call.ts';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { optionsOf, SelectField } from '../../parts/field/field.tsx';
import { LazyTextField } from '../../parts/field/lazy-text-field.tsx';
import { Page, Toolbar } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { usePage } from '../../parts/paging/use-page.ts';
import { Empty } from '../../parts/states/states.tsx';
import { type JobFilters, STATUSES, type Status } from './filters.ts';
import { isOpen, JOB_COLUMNS } from './job-table.tsx';

const route = getRouteApi('/jobs');

export function Jobs() {
  const { status, model, offset } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePage((page) => callTo('GET', '/videos', { query: { ...page, status, model } }), {
    isLive: offset === undefined || isOpen,
  });
  const change = (part: JobFilters) =>
    void navigate({ search: (last) => ({ ...last, offset: undefined, ...part }) });
  return (
    <Page
      title="Jobs"
      about="Videos take minutes: each is a job that goes on by itself, even after a restart of the gateway."
      actions={<CopyCurl call={list.call} />}
    >
      <Toolbar label="Filters">
        <SelectField
          label="Status"
          value={status ?? ''}
          options={optionsOf(STATUSES)}
          onPick={(value) => change({ status: (value || undefined) as Status | undefined })}
        />
        <LazyTextField label="Model" value={model} onSet={(value) => change({ model: value })} />
      </Toolbar>
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
