/** Lists what needs attention now: credits and limits near their end, failing webhooks and destinations. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, read } from '../../api/client.ts';
import { formatShare } from '../../format/numbers.ts';
import { Usd } from '../../parts/amount/amount.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import styles from './overview.module.css';

/** A limit is near its end when less than this share of it is left. */
const NEAR_END = 0.2;
const REFRESH_MS = 60_000;

export function Attention() {
  const notes = [...useCredits(), ...useKeys(), ...useWebhooks(), ...useDestinations()];
  if (notes.length === 0) return null;
  return (
    <section className={styles['attention']} aria-label="Needs attention">
      <h2>Needs attention</h2>
      <ul>
        {notes.map(({ id, note }) => (
          <li key={id}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

interface Note {
  id: string;
  note: ReactNode;
}

function useCredits(): Note[] {
  const { data } = useQuery({
    queryKey: ['credits'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await read(api.GET('/credits', { signal }))).data,
  });
  if (data === undefined || data.total_credits <= 0) return [];
  const left = data.total_credits - data.total_usage;
  if (left > data.total_credits * NEAR_END) return [];
  return [
    {
      id: 'credits',
      note: (
        <>
          Credits: <Usd value={left} /> of <Usd value={data.total_credits} /> left.
        </>
      ),
    },
  ];
}

function useKeys(): Note[] {
  const { data = [] } = useQuery({
    queryKey: ['keys', 'attention'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await read(api.GET('/keys', { signal }))).data,
  });
  return data.flatMap(({ hash, name, limit, limit_remaining: left, disabled }) => {
    if (limit === null || left === null || disabled || limit === 0 || left > limit * NEAR_END) return [];
    return [
      {
        id: hash,
        note: (
          <>
            Key “{name}” has {formatShare(left / limit)} of its limit of <Usd value={limit} /> left.
          </>
        ),
      },
    ];
  });
}

function useWebhooks(): Note[] {
  const { data = [] } = useQuery({
    queryKey: ['workspaces', 'attention'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await read(api.GET('/workspaces', { signal }))).data,
  });
  return data.flatMap(({ id, name, webhook_failing_since: since }) =>
    since === null
      ? []
      : [
          {
            id,
            note: (
              <>
                Webhooks of workspace “{name}” fail since <Moment at={since} />.
              </>
            ),
          },
        ],
  );
}

function useDestinations(): Note[] {
  const { data = [] } = useQuery({
    queryKey: ['destinations', 'attention'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await read(api.GET('/observability/destinations', { signal }))).data,
  });
  return data.flatMap(({ id, name, type, enabled, delivery: { state, reason } }) =>
    !enabled || state === 'idle' || state === 'running'
      ? []
      : [
          {
            id,
            note: (
              <>
                Destination “{name ?? type}” does not send. {reason}
              </>
            ),
          },
        ],
  );
}
