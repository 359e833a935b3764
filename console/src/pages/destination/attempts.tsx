/** Lists the latest attempts to send to a destination. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import type { components } from '../../../generated/api.d.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/badge/badge.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Table, type Column } from '../../parts/table/table.tsx';

const COLUMNS: readonly Column<components['schemas']['ObservabilityAttempt']>[] = [
  { name: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> },
  { name: 'Generations', isNumber: true, cell: ({ events }) => formatCount(events) },
  { name: 'Status', isNumber: true, cell: ({ status }) => status },
  { name: 'Took', isNumber: true, cell: ({ took_ms: took }) => formatMs(took) },
  { name: 'Answer', cell: ({ reason, response_excerpt: excerpt }) => <bdi>{excerpt ?? reason}</bdi> },
];

export function Attempts({ id }: { id: string }) {
  const query = { limit: 20 };
  const list = useQuery({
    queryKey: ['destination', id, 'attempts'],
    queryFn: async ({ signal }) =>
      (
        await read(
          api.GET('/observability/destinations/{id}/deliveries', { params: { path: { id }, query }, signal }),
        )
      ).data,
    refetchInterval: LIVE_MS,
  });
  return (
    <Card
      title="Latest attempts"
      actions={
        <CopyCurl call={{ method: 'GET', path: `/observability/destinations/${id}/deliveries`, query }} />
      }
    >
      <Loaded query={list} what="the attempts">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing was sent yet." />
          ) : (
            <Table caption="Attempts" rows={rows} keyOf={({ at }) => at} columns={COLUMNS} />
          )
        }
      </Loaded>
    </Card>
  );
}
