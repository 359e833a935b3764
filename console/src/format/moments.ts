/** Writes moments for people: in their own time zone, with UTC for who compares it with a log. */

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export function formatFull(at: string | Date): string {
  return full.format(new Date(at));
}

export function formatShort(at: string | Date): string {
  return short.format(new Date(at));
}

export function formatUtc(at: string | Date): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `5 minutes ago`, `in 2 hours`. */
export function formatRelative(at: string | Date, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(seconds, 'second');
}

export function isPast(at: string): boolean {
  return Date.parse(at) <= Date.now();
}
