/** Writes the periods of the chart: hours in the person's time zone, days in UTC. */

const day = { month: 'short', day: 'numeric' } as const;
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

const utcDay = new Intl.DateTimeFormat(undefined, { ...day, timeZone: 'UTC' });
const localDay = new Intl.DateTimeFormat(undefined, day);
const localTime = new Intl.DateTimeFormat(undefined, time);
const localHour = new Intl.DateTimeFormat(undefined, { ...day, ...time });

/** Returns the text below a line of the grid. Midnight is the day that begins. */
export function formatTick(seconds: number, isDaily: boolean): string {
  const at = new Date(seconds * 1_000);
  if (isDaily) return utcDay.format(at);
  return at.getHours() === 0 && at.getMinutes() === 0 ? localDay.format(at) : localTime.format(at);
}

export function formatPeriod(seconds: number, isDaily: boolean): string {
  return (isDaily ? utcDay : localHour).format(new Date(seconds * 1_000));
}
