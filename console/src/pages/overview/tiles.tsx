/** Shows the metrics of the whole range. Each is a button that draws its metric. */
import { formatShare } from '../../format/numbers.ts';
import { exactMetric, formatMetric } from './formats.ts';
import { numberOf, type Row } from './queries.ts';
import styles from './overview.module.css';
import { METRIC_NAMES, METRICS, type Metric } from './view.ts';

interface TilesProps {
  totals: Row | undefined;
  before: Row | undefined;
  chosen: Metric;
  onChoose: (metric: Metric) => void;
}

export function Tiles({ totals, before, chosen, onChoose }: TilesProps) {
  return (
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
            {before !== undefined && <Change metric={metric} now={value} before={numberOf(before, metric)} />}
          </button>
        );
      })}
    </div>
  );
}

interface ChangeProps {
  metric: Metric;
  now: number | null;
  before: number | null;
}

/** Shows by how much a value differs from that of the other range. */
function Change({ metric, now, before }: ChangeProps) {
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
