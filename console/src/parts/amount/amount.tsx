/** Shows an amount of money, short, with all its digits on hover. */
import { exactUsd, formatUsd } from '../../format/numbers.ts';

export function Usd({ value }: { value: number | null | undefined }) {
  return (
    <data value={value ?? undefined} title={exactUsd(value)}>
      {formatUsd(value)}
    </data>
  );
}
