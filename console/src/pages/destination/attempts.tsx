/** Lists the latest attempts to send to a destination. */
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { Moment, StateBadge } from '../../parts/value/value.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { TableOr, type Column } from '../../parts/table/table.tsx';

const COLUMNS: readonly Column<Schema<'ObservabilityAttempt'>>[] = [
  { name: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> },
  { name: 'Generations', isNumber: true, cell: ({ events }) => formatCount(events) },
  { name: 'Status', isNumber: true, cell: ({ status }) => status },
  { name: 'Took', isNumber: true, cell: ({ took_ms: took }) => formatMs(took) },
  { name: 'Answer', cell: ({ reason, response_excerpt: excerpt }) => <bdi>{excerpt ?? reason}</bdi> },
];

export function Attempts({ id }: { id: string }) {
  const path = { id };
  const call = callTo('GET', '/observability/destinations/{id}/deliveries', { path, query: { limit: 20 } });
  return (
    <Card title="Latest attempts" call={call}>
      <Loaded query={useCall(call, { isLive: true })} what="the attempts">
        {({ data }) => (
          <TableOr
            empty={<Empty title="Nothing was sent yet." />}
            caption="Attempts"
            rows={data}
            keyOf={({ at }) => at}
            columns={COLUMNS}
          />
        )}
      </Loaded>
    </Card>
  );
}
