/** Shows the metrics of the whole range. Each is a button that draws its metric. */
import { formatShare } from '../../format/numbers.ts';
import { exactMetric, formatMetric } from './format-metric.ts';
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
            <span className={styles['tileName']}>{METRICS[metric].name}</span>
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
  if (now === null || before === null) return <span className={styles['change']}>no other value</span>;
  if (before === 0) return <span className={styles['change']}>was {formatMetric(metric, 0)}</span>;
  const share = (now - before) / before;
  const sign = share > 0 ? '+' : share < 0 ? '−' : '±';
  return (
    <span className={styles['change']} title={`from ${exactMetric(metric, before)}`}>
      {sign}
      {formatShare(Math.abs(share))} from {formatMetric(metric, before)}
    </span>
  );
}
