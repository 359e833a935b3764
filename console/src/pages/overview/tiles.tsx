/** Shows the metrics of the whole range. Each is a button that draws its metric. */
import type { UseQueryResult } from '@tanstack/react-query';
import { formatShare } from '../../format/numbers.ts';
import { Stale } from '../../parts/states/states.tsx';
import { exactMetric, formatMetric } from './formats.ts';
import { numberOf, type Row } from './queries.ts';
import styles from './overview.module.css';
import { METRIC_NAMES, METRICS, type Metric } from './view.ts';

interface TilesProps {
  totals: Row | undefined;
  /** Reads the metrics of the other range; undefined: nothing is compared. */
  compared: UseQueryResult<{ data: { data: Row[] } }> | undefined;
  chosen: Metric;
  onChoose: (metric: Metric) => void;
}

export function Tiles({ totals, compared, chosen, onChoose }: TilesProps) {
  // Until a range is read, its query has the answer of another one.
  const read = compared?.isPlaceholderData ? undefined : compared?.data;
  const trouble = compared?.error ?? compared?.failureReason;
  const unread = trouble ? 'comparison not read' : 'comparing…';
  return (
    <>
      <div role="group" aria-label="Metric to draw" className={styles['tiles']}>
        {METRIC_NAMES.map((metric) => {
          const value = numberOf(totals, metric);
          return (
            <button
              key={metric}
              type="button"
              aria-pressed={metric === chosen}
              className={styles['tile']}
              onClick={() => onChoose(metric)}
            >
              <small>{METRICS[metric].name}</small>
              <span className={styles['tileValue']} title={exactMetric(metric, value)}>
                {formatMetric(metric, value)}
              </span>
              {read && <Change metric={metric} now={value} before={numberOf(read.data.data[0], metric)} />}
              {compared && !read && <small>{unread}</small>}
            </button>
          );
        })}
      </div>
      {trouble && <Stale error={trouble} what={read ? undefined : 'The other range could not be read.'} />}
    </>
  );
}

/** Shows by how much a value differs from that of the other range. */
function Change({ metric, now, before }: { metric: Metric; now: number | null; before: number | null }) {
  if (now === null || before === null) return <small>no other value</small>;
  if (before === 0) return <small>was {formatMetric(metric, 0)}</small>;
  const share = (now - before) / before;
  const sign = share > 0 ? '+' : share < 0 ? '−' : '±';
  return (
    <small title={`from ${exactMetric(metric, before)}`}>
      {sign}
      {formatShare(Math.abs(share))} from {formatMetric(metric, before)}
    </small>
  );
}
