/** Lays out the columns of a list of deliveries, and sends one event again, after asking. */
import { Link } from '@tanstack/react-router';
import { callTo, type Schema } from '../../api/call.ts';
import { formatMs } from '../../format/numbers.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/dialog/dialog.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { Moment, StateBadge } from '../../parts/value/value.tsx';
import styles from './webhooks.module.css';

export type Delivery = Schema<'WebhookDeliveryWithAttempts'>;

/** Returns the columns. Deliveries that are still pending are sent again anyway. */
export function deliveryColumns(onReplay: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { name: 'Created', cell: ({ created_at: at }) => <Moment at={at} /> },
    { name: 'Event', cell: ({ event_type: type }) => type },
    { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
    { name: 'Receiver', cell: ({ url }) => <bdi>{url}</bdi> },
    { name: 'Attempts', cell: (delivery) => <Attempts delivery={delivery} /> },
    {
      name: 'Job',
      cell: ({ job_id: id }) =>
        id === null ? null : (
          <Link to="/jobs/$id" params={{ id }}>
            Job
          </Link>
        ),
    },
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (delivery) => (
        <Button look="quiet" disabled={delivery.status === 'pending'} onClick={() => onReplay(delivery)}>
          Replay
        </Button>
      ),
    },
  ];
}

function Attempts({ delivery: { attempts } }: { delivery: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return <>none yet</>;
  return (
    <details>
      <summary>
        {attempts.length}, the last {last.outcome} {last.status_code}
      </summary>
      <ol className="stack">
        {attempts.map((attempt) => (
          <li key={`${attempt.replay} ${attempt.attempt}`}>
            <Moment at={attempt.started_at} />: {attempt.outcome} {attempt.status_code}{' '}
            {attempt.finished_at !== null &&
              `after ${formatMs(Date.parse(attempt.finished_at) - Date.parse(attempt.started_at))}`}
            {attempt.reason !== null && <p>{attempt.reason}</p>}
            {attempt.response_excerpt && <pre className={styles['excerpt']}>{attempt.response_excerpt}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface ReplayProps {
  delivery: Delivery;
  onClose: () => void;
}

export function Replay({ delivery: { id, url, event_type: type }, onClose }: ReplayProps) {
  return (
    <Confirm
      title="Replay this event?"
      action="Replay"
      call={callTo('POST', '/webhooks/deliveries/{id}/replay', { path: { id } })}
      onClose={onClose}
    >
      <p>
        The receiver <bdi>{url}</bdi> gets the same event <code>{type}</code> with the same id again, on the
        usual schedule of attempts.
      </p>
    </Confirm>
  );
}
