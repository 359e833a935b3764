/** Lists generations, the newest first. Filters and the page are in the URL. */
import { getRouteApi, Link } from '@tanstack/react-router';
import type { paths } from '../../../generated/api.d.ts';
import { type Call, callTo, type Schema, useCall } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { formatCount, formatMs, NONE } from '../../format/numbers.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { CheckField } from '../../parts/field/field.tsx';
import { useFilterChange } from '../../parts/field/filters.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { type Column, linkColumn, Table } from '../../parts/table/table.tsx';
import { Moment, StateBadge, Usd } from '../../parts/value/value.tsx';
import { FilterBar } from './filter-bar.tsx';
import { FILTERS, type GenerationFilters } from './filters.ts';

const route = getRouteApi('/generations');

export function Generations() {
  const search = route.useSearch();
  const { live, ...query } = search;
  const { generations: days } = useSession().retention_days;
  const isLive = live !== undefined && query.cursor === undefined;
  const call = callFor(query);
  // A page that is read every five seconds does not look further than one call does.
  const send = isLive ? call.send : (signal?: AbortSignal) => readPage(call, signal);
  const list = useCall({ ...call, send }, { isLive, keepsLast: true });
  const change = useFilterChange();
  return (
    <Page
      title="Generations"
      about={`Each request to a model, the newest first. It appears when it has ended, and is kept for ${formatCount(days)} days.`}
      call={call}
    >
      <FilterBar filters={search} />
      <CheckField
        label="Show new generations every 5 seconds"
        checked={isLive}
        onCheck={(checked) => change({ live: checked ? '1' : undefined })}
      />
      <Loaded query={list} what="the generations">
        {({ data, next, scanned_to: scannedTo }) => (
          <>
            {data.length > 0 ? (
              <Table caption="Generations" rows={data} keyOf={({ id }) => id} columns={COLUMNS} />
            ) : (
              <NoneFound hasMore={next !== null} search={search} />
            )}
            <Pages next={next} isFirst={query.cursor === undefined} scannedTo={scannedTo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Without any match, a page may have looked through a part of the generations only: then the next one is read too. */
const MAX_EMPTY_PAGES = 10;

async function readPage(
  call: Call<Schema<'GenerationList'>>,
  signal: AbortSignal | undefined,
): Promise<Schema<'GenerationList'>> {
  let page = await call.send(signal);
  for (let empty = 1; empty < MAX_EMPTY_PAGES && page.data.length === 0 && page.next !== null; empty += 1) {
    page = await callFor({ ...call.query, cursor: page.next }).send(signal);
  }
  return page;
}

/** The URL has texts. The API reads numbers from texts too, and says so if one is none. */
const callFor = (query: GenerationFilters) =>
  callTo('GET', '/generations', { query: query as paths['/generations']['get']['parameters']['query'] });

function Pages({ next, isFirst, scannedTo }: { next: string | null; isFirst: boolean; scannedTo: string }) {
  return (
    <div className="row">
      <p className="muted">
        All matches since <Moment at={scannedTo} /> are listed.
      </p>
      {!isFirst && (
        <Link to="/generations" search={(last) => ({ ...last, cursor: undefined })} className={buttonClass()}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="/generations" search={(last) => ({ ...last, cursor: next })} className={buttonClass()}>
          Older
        </Link>
      )}
    </div>
  );
}

function NoneFound({ hasMore, search }: { hasMore: boolean; search: GenerationFilters }) {
  if (hasMore) {
    return (
      <Empty title="No matches so far.">
        Older generations have not been searched yet: go on with “Older”.
      </Empty>
    );
  }
  if (FILTERS.some((name) => search[name] !== undefined) || search.cursor !== undefined) {
    return <Empty title="No generation matches.">Clear a filter, or choose a longer range.</Empty>;
  }
  return (
    <Empty title="There are no generations yet.">
      Send a first request from the <Link to="/playground">playground</Link>.
    </Empty>
  );
}

const COLUMNS: readonly Column<Schema<'GenerationListItem'>>[] = [
  linkColumn('Time', '/generations/$id', ({ created_at: at }) => <Moment at={at} />),
  { name: 'Model', cell: ({ model }) => <bdi>{model}</bdi> },
  { name: 'Provider', cell: ({ provider_name: name }) => name },
  { name: 'Key', cell: ({ api_key_name: name }) => <bdi>{name ?? NONE}</bdi> },
  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { name: 'Tokens in', isNumber: true, cell: ({ tokens_prompt: tokens }) => formatCount(tokens) },
  { name: 'Tokens out', isNumber: true, cell: ({ tokens_completion: tokens }) => formatCount(tokens) },
  { name: 'First token', isNumber: true, cell: ({ latency }) => formatMs(latency) },
  { name: 'Total', isNumber: true, cell: ({ generation_time: total }) => formatMs(total) },
  { name: 'Cost', isNumber: true, cell: ({ total_cost: cost }) => <Usd value={cost} /> },
];
