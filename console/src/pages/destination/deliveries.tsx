/** Lists what was sent to a destination, and what it could not get, which can be sent again. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callTo, type Schema, useCall } from '../../api/call.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { Confirm, DialogButton } from '../../parts/dialog/dialog.tsx';
import { Fields } from '../../parts/field/field.tsx';
import { MomentField } from '../../parts/field/lazy-fields.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded, ProblemBox } from '../../parts/states/states.tsx';
import { type Column, TableOr } from '../../parts/table/table.tsx';
import { Moment, StateBadge } from '../../parts/value/value.tsx';

const ATTEMPT_COLUMNS: readonly Column<Schema<'ObservabilityAttempt'>>[] = [
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
            columns={ATTEMPT_COLUMNS}
          />
        )}
      </Loaded>
    </Card>
  );
}

const LETTER_COLUMNS: readonly Column<Schema<'ObservabilityDeadLetter'>>[] = [
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
            columns={LETTER_COLUMNS}
          />
        )}
      </Loaded>
    </Card>
  );
}

function ReplayLetters({ id, onClose }: { id: string; onClose: () => void }) {
  const [since, setSince] = useState<string>();
  const [url, path] = ['/observability/destinations/{id}/dead-letters', { id }] as const;
  const found = useCall(callTo('GET', url, { path, query: { limit: 1, since } }), { keepsLast: true });
  const count = found.data?.total_count;
  return (
    <Confirm
      title="Replay dead letters?"
      action={count === undefined ? 'Replay' : `Replay ${formatCount(count)}`}
      call={callTo('POST', `${url}/replay`, { path, body: since === undefined ? {} : { since } })}
      isReady={count !== undefined && count > 0 && !found.isPlaceholderData}
      onClose={onClose}
    >
      <Fields>
        <MomentField label="Since (all, if empty)" value={since} onSet={setSince} />
        {found.error !== null && <ProblemBox error={found.error} />}
        <p role="status">
          {count === undefined ? 'Counting…' : `${formatCount(count)} dead letters are sent again.`} Those
          that the tool refuses again stay dead letters.
        </p>
      </Fields>
    </Confirm>
  );
}
