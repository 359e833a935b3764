/** Lists the generations that a destination could not get, and sends them again. */
import { Link } from '@tanstack/react-router';
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { DialogButton } from '../../parts/dialog/dialog-button.tsx';
import { Moment } from '../../parts/value/value.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { TableOr, type Column } from '../../parts/table/table.tsx';
import { ReplayLetters } from './replay-letters.tsx';

const COLUMNS: readonly Column<Schema<'ObservabilityDeadLetter'>>[] = [
  { name: 'Time', cell: ({ died_at: at }) => <Moment at={at} /> },
  {
    name: 'Generation',
    cell: ({ generation_id: id }) => (
      <Link to="/generations/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { name: 'Status', isNumber: true, cell: ({ status }) => status },
  { name: 'Reason', cell: ({ reason }) => <bdi>{reason}</bdi> },
  { name: 'Replay asked', cell: ({ replay_requested_at: at }) => <Moment at={at} /> },
];

export function DeadLetters({ id }: { id: string }) {
  const path = { id };
  const call = callTo('GET', '/observability/destinations/{id}/dead-letters', { path, query: { limit: 50 } });
  const list = useCall(call);
  return (
    <Card
      title="Dead letters"
      call={call}
      actions={
        <DialogButton label="Replay…" disabled={!list.data?.total_count}>
          {(close) => <ReplayLetters id={id} onClose={close} />}
        </DialogButton>
      }
    >
      <Loaded query={list} what="the dead letters">
        {({ data }) => (
          <TableOr
            empty={<Empty title="There are no dead letters." />}
            caption="Dead letters"
            rows={data}
            keyOf={(letter) => letter.id}
            columns={COLUMNS}
          />
        )}
      </Loaded>
    </Card>
  );
}
