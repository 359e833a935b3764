/** Lists deliveries of webhooks with their attempts, and replays them. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { LazyTextField } from '../../parts/field/lazy-text-field.tsx';
import { Page, Toolbar } from '../../parts/page/page.tsx';
import { OffsetPages, offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { type Delivery, Deliveries, isReplayable } from './deliveries.tsx';
import { STATUSES, type WebhookFilters, webhookFilters } from './filters.ts';
import { Replay } from './replay.tsx';

const route = getRouteApi('/webhooks');

const PAGE_SIZE = 50;

export function Webhooks() {
  const { offset, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [replayed, setReplayed] = useState<readonly Delivery[]>([]);
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
  const failed = (list.data?.data ?? []).filter(hasFailed);
  return (
    <Page
      title="Webhooks"
      about="Each event that was sent to a callback URL, with what the receiver answered."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/webhooks/deliveries', query }} />
          {failed.length > 0 && (
            <Button onClick={() => setReplayed(failed)}>Replay {failed.length} failed on this page</Button>
          )}
        </>
      }
    >
      <Filters filters={filters} onChange={change} />
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
                onReplay={(delivery) => isReplayable(delivery) && setReplayed([delivery])}
              />
            )}
            <OffsetPages from={from} shown={data.length} pageSize={PAGE_SIZE} total={total} />
          </>
        )}
      </Loaded>
      {replayed.length > 0 && (
        <Replay
          deliveries={replayed}
          onClose={() => {
            setReplayed([]);
            void queries.invalidateQueries({ queryKey: ['deliveries'] });
          }}
        />
      )}
    </Page>
  );
}

interface FiltersProps {
  filters: WebhookFilters;
  onChange: (change: WebhookFilters) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  return (
    <Toolbar label="Filters">
      <SelectField
        label="Status"
        value={filters.status ?? ''}
        options={STATUS_OPTIONS}
        onPick={(status) => onChange({ status: (status || undefined) as WebhookFilters['status'] })}
      />
      <LazyTextField label="Job" value={filters.job_id} onSet={(id) => onChange({ job_id: id })} />
    </Toolbar>
  );
}

const hasFailed = ({ status }: Delivery): boolean => status === 'exhausted' || status === 'stopped';

const STATUS_OPTIONS = [{ value: '', label: 'Any' }, ...STATUSES.map((value) => ({ value, label: value }))];
