/** Shows what the organization spends and how its requests fare, over time and by group. */
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Attention } from './attention.tsx';
import { Controls } from './controls.tsx';
import { Groups } from './groups.tsx';
import { History } from './history.tsx';
import { callOf, CHARTED_GROUPS, groupsQuery, totalsQuery, useAnalytics } from './queries.ts';
import { comparedOf, spanOf } from './range.ts';
import { Tiles } from './tiles.tsx';
import type { OverviewSearch } from './view.ts';

const route = getRouteApi('/overview');

export function Overview() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: OverviewSearch) => void navigate({ search: (last) => ({ ...last, ...part }) });
  const { metric = 'total_usage', by = 'model', range, from, to } = search;
  const minute = useMinute();
  const span = useMemo(() => spanOf({ range, from, to }, minute), [range, from, to, minute]);
  const compared = useMemo(() => comparedOf(search, span), [search, span]);
  const totals = useAnalytics(totalsQuery(span));
  const before = useAnalytics(totalsQuery(compared ?? span), compared !== undefined);
  const groups = useAnalytics(groupsQuery(span, by, metric));
  const charted = useMemo(() => groups.data?.data.data.slice(0, CHARTED_GROUPS), [groups.data]);
  return (
    <Page
      title="Overview"
      about="Spend and requests of your whole organization, as they were settled."
      call={callOf(totalsQuery(span))}
      actions={compared && <CopyCurl label="Copy the other range" call={callOf(totalsQuery(compared))} />}
    >
      <Attention />
      <Controls search={search} onChange={change} />
      <Loaded query={totals} what="the totals">
        {({ data }) => (
          <Tiles
            totals={data.data[0]}
            compared={compared && before}
            chosen={metric}
            onChoose={(chosen) => change({ metric: chosen })}
          />
        )}
      </Loaded>
      <History span={span} metric={metric} by={by} groups={charted} compared={compared} />
      <Loaded query={groups} what="the groups">
        {({ data }) => <Groups rows={data.data} by={by} span={span} metric={metric} />}
      </Loaded>
    </Page>
  );
}

const MINUTE_MS = 60_000;

const present = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** Returns the start of the present minute: ranges that end now move on without a query for each second. */
function useMinute(): number {
  const [minute, setMinute] = useState(present);
  useEffect(() => {
    const timer = setInterval(() => setMinute(present()), MINUTE_MS / 4);
    return () => clearInterval(timer);
  }, []);
  return minute;
}
