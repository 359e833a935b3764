/** Lists deliveries of webhooks with their attempts, and replays them. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { OffsetPages, offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { type Delivery, Deliveries, isReplayable } from './deliveries.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type WebhookFilters, webhookFilters } from './filters.ts';
import { Replay } from './replay.tsx';
import { ReplaySince } from './replay-since.tsx';

const route = getRouteApi('/webhooks');

const PAGE_SIZE = 50;

export function Webhooks() {
  const { offset, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [replayed, setReplayed] = useState<Delivery>();
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => {
    setReplayed(undefined);
    setIsOpen(false);
    void queries.invalidateQueries({ queryKey: ['deliveries'] });
  };
  const from = offsetOf(offset);
  const query = { ...filters, limit: PAGE_SIZE, offset: from };
  const list = useQuery({
    queryKey: ['deliveries', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => read(api.GET('/webhooks/deliveries', { params: { query }, signal })),
    refetchInterval: LIVE_MS,
  });
  const change = (part: WebhookFilters) =>
    void navigate({ search: (last) => webhookFilters({ ...last, offset: undefined, ...part }) });
  return (
    <Page
      title="Webhooks"
      about="Each event that was sent to a callback URL, with what the receiver answered."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/webhooks/deliveries', query }} />
          <Button onClick={() => setIsOpen(true)}>Replay since…</Button>
        </>
      }
    >
      <FilterBar filters={filters} onChange={change} />
      <Loaded query={list} what="the deliveries">
        {({ data, total_count: total }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No deliveries here.">
                Events are sent when a job has a callback URL, or its workspace a default one.
              </Empty>
            ) : (
              <Deliveries
                rows={data}
                onReplay={(delivery) => isReplayable(delivery) && setReplayed(delivery)}
              />
            )}
            <OffsetPages from={from} shown={data.length} pageSize={PAGE_SIZE} total={total} />
          </>
        )}
      </Loaded>
      {replayed !== undefined && <Replay delivery={replayed} onClose={close} />}
      {isOpen && <ReplaySince filters={filters} onClose={close} />}
    </Page>
  );
}
